#include "search/walk.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>

#include "bindings.h"
#include "checks.h"
#include "in_use.h"
#include "sequences.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace arcwise;

namespace {

using IntMatrix = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using IntVector = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The heads of a gold tree.
std::span<const int32_t> checked_heads(const int32_t* heads, size_t words) {
  for (size_t w = 0; w < words; ++w)
    if (heads[w] < kNone || heads[w] > static_cast<int32_t>(words))
      throw nb::value_error(
          "A gold head is out of range: heads go from -1 (unknown) to the number of words.");
  return {heads, words};
}

// A system that is written in Python may come back to the walk that asks it.
struct Asked : InUse {
  explicit Asked(const Walk& walk)
      : InUse(&walk,
              "A walk was asked for something by the system that it is asking: give it a walk of its own.") {}
};

nb::ndarray<nb::numpy, float> costs_of(const Walk& walk, IntMatrix heads, IntMatrix labels) {
  const Asked asked(walk);
  const size_t trees = heads.shape(0), words = heads.shape(1);
  if (words != static_cast<size_t>(walk.words()) || labels.shape(0) != trees || labels.shape(1) != words)
    throw nb::value_error("Gold heads and labels must be matrices of (trees, words of the walk).");
  const size_t moves = walk.legal().size();
  auto* costs = new std::vector<float>();
  costs->reserve(trees * moves);
  for (size_t t = 0; t < trees; ++t) {
    const auto one =
        walk.costs(checked_heads(heads.data() + t * words, words), {labels.data() + t * words, words});
    costs->insert(costs->end(), one.begin(), one.end());
  }
  nb::capsule owner(costs, [](void* p) noexcept { delete static_cast<std::vector<float>*>(p); });
  return nb::ndarray<nb::numpy, float>(costs->data(), {trees, moves}, owner);
}

SiteMove checked(const Walk& walk, std::pair<int32_t, MoveId> move) {
  for (const SiteMove& legal : walk.legal())
    if (legal.site == move.first && legal.move == move.second) return legal;
  throw nb::value_error("This move is not legal here: take one of legal().");
}

}  // namespace

void bind_walk(nb::module_& m) {
  nb::class_<Walk>(m, "Walk", "One walk through a transition system, a step at a time.")
      .def_static(
          "start",
          [](const std::string& system, int32_t words, const std::vector<int32_t>& labels,
             const std::vector<int32_t>& root_labels, bool root_first, bool single_root,
             std::optional<int32_t> completion, const std::optional<std::vector<int32_t>>& right_labels,
             const std::vector<std::tuple<Constraint::Kind, int32_t, int32_t>>& constraints, bool at_all,
             const std::shared_ptr<ForeignSystem>& given) {
            demand_words(words);
            const std::vector<int32_t>& right = right_labels ? *right_labels : labels;
            if (labels.empty() || right.empty() || root_labels.empty())
              throw nb::value_error("A transition system needs at least one label, and one for ROOT.");
            for (const auto* all : {&labels, &right, &root_labels})
              demand(*std::min_element(all->begin(), all->end()) >= 0, "Labels are numbered from 0.");
            const SystemOptions options{system, root_first, single_root, given};
            const ArcLabels arcs{labels, right, root_labels, completion.value_or(labels[0])};
            if (constraints.empty()) return Walk::start(options, arcs, words);
            constexpr size_t kMostLabels = 1 << 20;
            return Walk::start(options, arcs, words, demand_constraints(constraints, words, kMostLabels),
                               at_all);
          },
          "system"_a, "words"_a, "labels"_a, "root_labels"_a, "root_first"_a = false, "single_root"_a = true,
          "completion"_a = nb::none(), "right_labels"_a = nb::none(), "constraints"_a = nb::list(),
          "at_all"_a = false, "given"_a = nb::none(),
          "Labels are numbers of the caller's; those of arcs to the right are the same if not given. Legal "
          "moves keep to the constraints, each a kind with a word and a value, which some projective tree "
          "must satisfy; to look at all words in every state gives the same moves.")
      .def("copy",
           [](const Walk& walk) {
             const Asked asked(walk);
             return walk.clone();
           })
      .def_prop_ro("done", &Walk::done)
      .def("legal",
           [](const Walk& walk) {
             const Asked asked(walk);
             std::vector<std::pair<int32_t, MoveId>> moves;
             for (const SiteMove& m : walk.legal()) moves.emplace_back(m.site, m.move);
             return moves;
           })
      .def(
          "apply",
          [](Walk& walk, std::pair<int32_t, MoveId> move) {
            const Asked asked(walk);
            walk.apply(checked(walk, move));
          },
          "move"_a)
      .def(
          "undo",
          [](Walk& walk) {
            const Asked asked(walk);
            walk.undo();
          },
          "Takes the last move back; not in easy-first.")
      .def("is_where", &Walk::is_where, "other"_a,
           "Whether another walk is in the same state, in all that features can see.")
      .def("costs", &costs_of, "heads"_a, "labels"_a,
           "The cost of each legal move against each gold tree: a matrix of (trees, legal moves).")
      .def(
          "static_move",
          [](const Walk& walk, IntVector heads, IntVector labels) {
            if (heads.shape(0) != static_cast<size_t>(walk.words()) || labels.shape(0) != heads.shape(0))
              throw nb::value_error("Gold heads and labels must have as many words as the walk.");
            const Asked asked(walk);
            demand(!walk.done(), "The walk is done: there is no move left.");
            const SiteMove move = walk.static_move(checked_heads(heads.data(), heads.shape(0)),
                                                   {labels.data(), labels.shape(0)});
            return std::pair(move.site, move.move);
          },
          "heads"_a, "labels"_a)
      .def(
          "best_tree",
          [](const Walk& walk, IntVector heads, IntVector labels) {
            if (heads.shape(0) != static_cast<size_t>(walk.words()) || labels.shape(0) != heads.shape(0))
              throw nb::value_error("Gold heads and labels must have as many words as the walk.");
            const Asked asked(walk);
            return walk.best_tree(checked_heads(heads.data(), heads.shape(0)),
                                  {labels.data(), labels.shape(0)});
          },
          "heads"_a, "labels"_a,
          "The heads and labels of the tree that moves of least cost end in from here; the walk stays.")
      .def(
          "move_name",
          [](const Walk& walk, std::pair<int32_t, MoveId> move) {
            const Asked asked(walk);
            return walk.move_name(checked(walk, move));
          },
          "move"_a)
      .def(
          "move_label",
          [](const Walk& walk, std::pair<int32_t, MoveId> move) {
            const Asked asked(walk);
            return walk.move_label(checked(walk, move).move);
          },
          "move"_a)
      .def_prop_ro("heads", &Walk::heads)
      .def_prop_ro("labels", &Walk::labels)
      .def_prop_ro("stack", &Walk::stack)
      .def_prop_ro(
          "buffer",
          [](const Walk& self) {
            const auto nodes = self.buffer();
            return nodes.empty() ? kNone : nodes.front();
          },
          "The front of the buffer, -1 in easy-first.")
      .def_prop_ro("in_buffer", &Walk::buffer, "All nodes of the buffer, from the front.");
}
