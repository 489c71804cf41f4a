// photobroker-media: reads hostile photos in a locked process. See README.md.

#include "Run.hpp"
#include "Videos.hpp"

namespace media {

void startVideos() {}

void readSequenceDate(const Input&, Facts&) { throw NeedsVideoProgram(); }
void readVideoFacts(Input&, Facts&) { throw NeedsVideoProgram(); }
bool posterFrame(const Input&, Frame&, Problem&) { throw NeedsVideoProgram(); }
bool makePreview(const Input&, const PreviewRequest&, int, Preview&, Problem&) { throw NeedsVideoProgram(); }

}  // namespace media

int main(int count, char** arguments) { return media::run(count, arguments); }
