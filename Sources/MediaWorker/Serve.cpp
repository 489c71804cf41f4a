#include "Serve.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <new>
#include <optional>

#include "Answer.hpp"
#include "Channel.hpp"
#include "Facts.hpp"
#include "Lockdown.hpp"
#include "Preview.hpp"
#include "Thumbnail.hpp"
#include "Videos.hpp"

namespace media {

namespace {

bool hasUsedHalf() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<unsigned long>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) > cpuSecondsLimit / 2;
}

bool writeAll(int descriptor, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t n = write(descriptor, bytes.data() + done, bytes.size() - done);
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

void refuse(Answer& answer, Problem problem) {
  answer.setStatus(Status::refused);
  answer.problem(problem);
}

void answerFacts(Request& request, Answer& answer) {
  Input input(request.take(0), request.parts);
  std::optional<Input> sidecar;
  if (request.hasSidecar) sidecar.emplace(request.take(1));
  Facts facts = readFacts(input, sidecar ? &*sidecar : nullptr);
  if (input.missing()) answer.line("need", input.missing()->from, input.missing()->to - input.missing()->from);
  else facts.write(answer);
}

void answerSignature(Request& request, Answer& answer) {
  Facts facts;
  facts.format = sniff(Input(request.take(0)).head());
  facts.write(answer);
}

void answerThumbnail(Request& request, Answer& answer) {
  Input input(request.take(0));
  EncodedThumbnail thumbnail;
  Problem problem = Problem::unreadable;
  if (!thumbnailOf(input, {request.width, request.height, request.encoding, request.mode}, thumbnail, problem))
    return refuse(answer, problem);
  if (!writeAll(request.descriptors[1], thumbnail.bytes)) return refuse(answer, Problem::tooLarge);
  answer.line("thumbnail", std::to_string(thumbnail.width) + " " + std::to_string(thumbnail.height) + " " +
                               std::to_string(thumbnail.bytes.size()));
}

void answerPreview(Request& request, Answer& answer) {
  Input input(request.take(0));
  Preview preview;
  Problem problem = Problem::unreadable;
  if (!makePreview(input, {request.width, request.seconds}, request.descriptors[1], preview, problem))
    return refuse(answer, problem);
  answer.line("preview", std::to_string(preview.width) + " " + std::to_string(preview.height) + " " +
                             std::to_string(preview.milliseconds) + " " + std::to_string(preview.bytes));
}

}  // namespace

void serve() {
  for (bool last = false; !last;) {
    Request request;
    if (!receive(request)) return;
    Answer answer(request.sequence);
    try {
      if (!request.isValid) answer.setStatus(Status::bad);
      else if (request.operation == Operation::facts) answerFacts(request, answer);
      else if (request.operation == Operation::signature) answerSignature(request, answer);
      else if (request.operation == Operation::thumbnail) answerThumbnail(request, answer);
      else if (request.operation == Operation::preview) answerPreview(request, answer);
    } catch (const NeedsVideoProgram&) {
      answer = Answer(request.sequence);
      answer.setStatus(Status::video);
    } catch (const std::bad_alloc&) {
      answer = Answer(request.sequence);
      refuse(answer, Problem::tooLarge);
    } catch (...) {
      answer = Answer(request.sequence);
      refuse(answer, Problem::unreadable);
    }
    last = hasUsedHalf();
    if (last) answer.setLast();
    if (!send(answer.message())) return;
  }
}

}  // namespace media
