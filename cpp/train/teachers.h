// Models that teach another one: at the states that its own walks come to, what is to be learnt is the mean
// of the probabilities that they give the legal moves there (Liu et al. 2018).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/decision.h"
#include "model/network_workspace.h"
#include "model/softmax.h"
#include "text/treebank.h"
#include "train/training_set.h"

namespace arcwise {

// The networks of a teacher, whose moves and labels are numbered as those of the model that is taught.
struct Teacher {
  std::shared_ptr<const NetworkModel> parser;
  std::shared_ptr<const NetworkModel> tagger;  // null: it has nothing to say of tags
};

// Teachers at work on one mini-batch after the other. A worker has them to itself; their models are shared.
class Teachers {
 public:
  explicit Teachers(std::span<const Teacher> teachers);

  // The sentences of a mini-batch, each of which is a walk. Those that are taught are encoded.
  void begin(std::span<const TrainingSentence* const> sentences);
  bool teaches(size_t walk) const { return is_taught_[walk]; }
  // Gives the legal moves of a state that a walk has come to their targets. A move costs the probability that
  // it leaves to others, so that the one which the teachers would take is correct.
  void judge(size_t walk, const TreeView& view, Site& site);
  void judge(size_t walk, const LabelView& view, Site& site);

 private:
  // What a teacher needs for the states of a walk.
  class Desk {
   public:
    explicit Desk(const Teacher& teacher);
    // Its encoder is that of another, which goes on to other sentences.
    Desk(const Teacher& teacher, Desk& other);
    void sentence(const Treebank& treebank, size_t sentence);

    NetworkModel::Workspace parser;
    std::optional<NetworkModel::Workspace> tagger;

   private:
    bool tagger_encodes_ = false;  // words for itself
  };
  struct AtWork {
    Teacher teacher;
    Softmax of_parser, of_tagger;
    std::vector<std::unique_ptr<Desk>> desks;  // of each walk
  };

  void add(const Legal& legal, const int32_t* scores, const Softmax& odds, Site& site);

  std::vector<AtWork> teachers_;
  std::vector<uint8_t> is_taught_;
  std::vector<float> odds_;  // room for those of one state
};

}  // namespace arcwise
