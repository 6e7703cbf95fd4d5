// A walk that draws its moves from the model's distribution, and can go back to where several draws parted.
#pragma once

#include "base/interrupts.h"
#include "model/scoring.h"
#include "search/history.h"
#include "search/move_probabilities.h"

namespace arcwise {

template <Task T, Scoring<typename T::View> S>
class Drawing {
 public:
  Drawing(const T& task, S& scoring, const Softmax& odds)
      : task_(task), scoring_(scoring), moves_ahead_(odds) {}

  void start(int32_t words) { history_.start(task_, words, looks()); }
  const typename T::State& state() const { return history_.state(); }

  // Takes the moves that are no choice; false at the end.
  bool to_next_choice() {
    check_interrupts();
    return history_.to_next_choice(task_, looks());
  }
  // Of the choice that lies ahead.
  double entropy() { return history_.masses().total().entropy(); }
  // The move that a number from [0, 1) falls on.
  SiteMove draw(double number) {
    const int32_t site = history_.draw_site(number, looks());
    return {site, moves_ahead_.draw(number)};
  }
  void take(SiteMove move) {
    check_interrupts();
    history_.take(task_, move, looks());
  }

  // How many moves have been made. part() is called where other draws will go on from this state, and
  // back_to() with the number of moves made then, latest first.
  size_t moves() const { return history_.moves(); }
  void part() { history_.mark(); }
  void back_to(size_t moves) { history_.back_to(moves); }

 private:
  auto looks() {
    return [this](int32_t site) { look(site); };
  }
  void look(int32_t site) {
    const Legal legal = Sites<T>::legal(task_, state(), site);
    if (legal.size() == 0) return;
    typename T::View view;
    Sites<T>::view(task_, state(), site, view);
    moves_ahead_.look(legal, scoring_.score(view), scoring_.columns());
    history_.masses().set(site, moves_ahead_.mass());
  }

  const T& task_;
  S& scoring_;
  MoveProbabilities moves_ahead_;
  History<T> history_;
};

}  // namespace arcwise
