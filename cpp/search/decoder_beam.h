// A beam over the derivations of a decoder: at every step the best ones go on, by the sum of what their
// actions are predicted to cost (a prediction below 0 counts as 0). What a decoder has built is its own and
// cannot be copied: to take a derivation further it is run again, with the answers so far given. As every run
// goes on greedily to its end, the best action of a derivation has been run when it is wanted, and a step of
// a beam of width k takes at most k - 1 runs.
#pragma once

#include "search/decoder_run.h"

namespace arcwise {

// The last of the runs, whose output counts, is that of the best derivation.
void decode_with_beam(DecoderRun& search, Decoder& decoder, uint64_t example, size_t width);

}  // namespace arcwise
