#include "cwebpage.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// Each file is text, and ends with a zero byte here.
static const struct {
  const char *path;
  const char *type;
  const uint8_t *bytes;
} files[] = {
    {"/", "text/html; charset=utf-8", (const uint8_t[]){
#embed "page/index.html" suffix(, 0)
    }},
    {"/icon.svg", "image/svg+xml", (const uint8_t[]){
#embed "page/icon.svg" suffix(, 0)
    }},
    {"/page.css", "text/css; charset=utf-8", (const uint8_t[]){
#embed "page/page.css" suffix(, 0)
    }},
    {"/start.js", "text/javascript; charset=utf-8", (const uint8_t[]){
#embed "page/start.js" suffix(, 0)
    }},
    {"main.js", NULL, (const uint8_t[]){
#embed "page/main.js" suffix(, 0)
    }},
    {"dom.js", NULL, (const uint8_t[]){
#embed "page/dom.js" suffix(, 0)
    }},
    {"icons.js", NULL, (const uint8_t[]){
#embed "page/icons.js" suffix(, 0)
    }},
    {"text.js", NULL, (const uint8_t[]){
#embed "page/text.js" suffix(, 0)
    }},
    {"server.js", NULL, (const uint8_t[]){
#embed "page/server.js" suffix(, 0)
    }},
    {"members.js", NULL, (const uint8_t[]){
#embed "page/members.js" suffix(, 0)
    }},
    {"assets.js", NULL, (const uint8_t[]){
#embed "page/assets.js" suffix(, 0)
    }},
    {"thumbnails.js", NULL, (const uint8_t[]){
#embed "page/thumbnails.js" suffix(, 0)
    }},
    {"layout.js", NULL, (const uint8_t[]){
#embed "page/layout.js" suffix(, 0)
    }},
    {"grid.js", NULL, (const uint8_t[]){
#embed "page/grid.js" suffix(, 0)
    }},
    {"tile.js", NULL, (const uint8_t[]){
#embed "page/tile.js" suffix(, 0)
    }},
    {"track.js", NULL, (const uint8_t[]){
#embed "page/track.js" suffix(, 0)
    }},
    {"dates.js", NULL, (const uint8_t[]){
#embed "page/dates.js" suffix(, 0)
    }},
    {"scrubber.js", NULL, (const uint8_t[]){
#embed "page/scrubber.js" suffix(, 0)
    }},
    {"viewer.js", NULL, (const uint8_t[]){
#embed "page/viewer.js" suffix(, 0)
    }},
    {"cards.js", NULL, (const uint8_t[]){
#embed "page/cards.js" suffix(, 0)
    }},
    {"apps.js", NULL, (const uint8_t[]){
#embed "page/apps.js" suffix(, 0)
    }},
    {"app.js", NULL, (const uint8_t[]){
#embed "page/app.js" suffix(, 0)
    }},
    {"ledger.js", NULL, (const uint8_t[]){
#embed "page/ledger.js" suffix(, 0)
    }},
    {"decisions.js", NULL, (const uint8_t[]){
#embed "page/decisions.js" suffix(, 0)
    }},
    {"rules.js", NULL, (const uint8_t[]){
#embed "page/rules.js" suffix(, 0)
    }},
    {"plugins.js", NULL, (const uint8_t[]){
#embed "page/plugins.js" suffix(, 0)
    }},
    {"policies.js", NULL, (const uint8_t[]){
#embed "page/policies.js" suffix(, 0)
    }},
    {"presses.js", NULL, (const uint8_t[]){
#embed "page/presses.js" suffix(, 0)
    }},
    {"activity.js", NULL, (const uint8_t[]){
#embed "page/activity.js" suffix(, 0)
    }},
    {"liveDialog.js", NULL, (const uint8_t[]){
#embed "page/liveDialog.js" suffix(, 0)
    }},
    {"addFolder.js", NULL, (const uint8_t[]){
#embed "page/addFolder.js" suffix(, 0)
    }},
    {"coOwners.js", NULL, (const uint8_t[]){
#embed "page/coOwners.js" suffix(, 0)
    }},
    {"libraries.js", NULL, (const uint8_t[]){
#embed "page/libraries.js" suffix(, 0)
    }},
    {"photos.js", NULL, (const uint8_t[]){
#embed "page/photos.js" suffix(, 0)
    }},
    {"selection.js", NULL, (const uint8_t[]){
#embed "page/selection.js" suffix(, 0)
    }},
    {"albums.js", NULL, (const uint8_t[]){
#embed "page/albums.js" suffix(, 0)
    }},
    {"trash.js", NULL, (const uint8_t[]){
#embed "page/trash.js" suffix(, 0)
    }},
    {"outcomes.js", NULL, (const uint8_t[]){
#embed "page/outcomes.js" suffix(, 0)
    }},
    {"names.js", NULL, (const uint8_t[]){
#embed "page/names.js" suffix(, 0)
    }},
    {"reasons.js", NULL, (const uint8_t[]){
#embed "page/reasons.js" suffix(, 0)
    }},
    {"selectors.js", NULL, (const uint8_t[]){
#embed "page/selectors.js" suffix(, 0)
    }},
    {"offers.js", NULL, (const uint8_t[]){
#embed "page/offers.js" suffix(, 0)
    }},
    {"grants.js", NULL, (const uint8_t[]){
#embed "page/grants.js" suffix(, 0)
    }},
    {"identity.js", NULL, (const uint8_t[]){
#embed "page/identity.js" suffix(, 0)
    }},
    {"indexing.js", NULL, (const uint8_t[]){
#embed "page/indexing.js" suffix(, 0)
    }},
    {"access.js", NULL, (const uint8_t[]){
#embed "page/access.js" suffix(, 0)
    }},
    {"notices.js", NULL, (const uint8_t[]){
#embed "page/notices.js" suffix(, 0)
    }},
    {"factsDialog.js", NULL, (const uint8_t[]){
#embed "page/factsDialog.js" suffix(, 0)
    }},
    {"albumDialogs.js", NULL, (const uint8_t[]){
#embed "page/albumDialogs.js" suffix(, 0)
    }},
    {"answerPages.js", NULL, (const uint8_t[]){
#embed "page/answerPages.js" suffix(, 0)
    }},
    {"appPhotos.js", NULL, (const uint8_t[]){
#embed "page/appPhotos.js" suffix(, 0)
    }},
    {"download.js", NULL, (const uint8_t[]){
#embed "page/download.js" suffix(, 0)
    }},
    {"drafts.js", NULL, (const uint8_t[]){
#embed "page/drafts.js" suffix(, 0)
    }},
    {"levels.js", NULL, (const uint8_t[]){
#embed "page/levels.js" suffix(, 0)
    }},
    {"libraryView.js", NULL, (const uint8_t[]){
#embed "page/libraryView.js" suffix(, 0)
    }},
    {"marks.js", NULL, (const uint8_t[]){
#embed "page/marks.js" suffix(, 0)
    }},
    {"offerDialog.js", NULL, (const uint8_t[]){
#embed "page/offerDialog.js" suffix(, 0)
    }},
    {"questions.js", NULL, (const uint8_t[]){
#embed "page/questions.js" suffix(, 0)
    }},
    {"requests.js", NULL, (const uint8_t[]){
#embed "page/requests.js" suffix(, 0)
    }},
    {"revoke.js", NULL, (const uint8_t[]){
#embed "page/revoke.js" suffix(, 0)
    }},
    {"ruleForm.js", NULL, (const uint8_t[]){
#embed "page/ruleForm.js" suffix(, 0)
    }},
    {"search.js", NULL, (const uint8_t[]){
#embed "page/search.js" suffix(, 0)
    }},
    {"selectionEdit.js", NULL, (const uint8_t[]){
#embed "page/selectionEdit.js" suffix(, 0)
    }},
    {"selectionPage.js", NULL, (const uint8_t[]){
#embed "page/selectionPage.js" suffix(, 0)
    }},
    {"terms.js", NULL, (const uint8_t[]){
#embed "page/terms.js" suffix(, 0)
    }},
    {"tokens.js", NULL, (const uint8_t[]){
#embed "page/tokens.js" suffix(, 0)
    }},
    {"videoPlayer.js", NULL, (const uint8_t[]){
#embed "page/videoPlayer.js" suffix(, 0)
    }},
    {"watch.js", NULL, (const uint8_t[]){
#embed "page/watch.js" suffix(, 0)
    }},
    {"english.json", NULL, (const uint8_t[]){
#embed "page/english.json" suffix(, 0)
    }},
    {"german.json", NULL, (const uint8_t[]){
#embed "page/german.json" suffix(, 0)
    }},
};

const size_t cwebpage_count = sizeof files / sizeof files[0];

const char *cwebpage_path(size_t index) { return index < cwebpage_count ? files[index].path : NULL; }

const char *cwebpage_type(size_t index) { return index < cwebpage_count ? files[index].type : NULL; }

const uint8_t *cwebpage_bytes(size_t index, size_t *length) {
  if (index >= cwebpage_count) return NULL;
  *length = strlen((const char *)files[index].bytes);
  return files[index].bytes;
}
