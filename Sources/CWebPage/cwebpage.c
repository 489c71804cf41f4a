#include "cwebpage.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

#define SCRIPT "text/javascript; charset=utf-8"

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
    {"/start.js", SCRIPT, (const uint8_t[]){
#embed "page/start.js" suffix(, 0)
    }},
    {"/main.js", SCRIPT, (const uint8_t[]){
#embed "page/main.js" suffix(, 0)
    }},
    {"/dom.js", SCRIPT, (const uint8_t[]){
#embed "page/dom.js" suffix(, 0)
    }},
    {"/icons.js", SCRIPT, (const uint8_t[]){
#embed "page/icons.js" suffix(, 0)
    }},
    {"/text.js", SCRIPT, (const uint8_t[]){
#embed "page/text.js" suffix(, 0)
    }},
    {"/server.js", SCRIPT, (const uint8_t[]){
#embed "page/server.js" suffix(, 0)
    }},
    {"/assets.js", SCRIPT, (const uint8_t[]){
#embed "page/assets.js" suffix(, 0)
    }},
    {"/thumbnails.js", SCRIPT, (const uint8_t[]){
#embed "page/thumbnails.js" suffix(, 0)
    }},
    {"/layout.js", SCRIPT, (const uint8_t[]){
#embed "page/layout.js" suffix(, 0)
    }},
    {"/grid.js", SCRIPT, (const uint8_t[]){
#embed "page/grid.js" suffix(, 0)
    }},
    {"/tile.js", SCRIPT, (const uint8_t[]){
#embed "page/tile.js" suffix(, 0)
    }},
    {"/track.js", SCRIPT, (const uint8_t[]){
#embed "page/track.js" suffix(, 0)
    }},
    {"/scrubber.js", SCRIPT, (const uint8_t[]){
#embed "page/scrubber.js" suffix(, 0)
    }},
    {"/viewer.js", SCRIPT, (const uint8_t[]){
#embed "page/viewer.js" suffix(, 0)
    }},
    {"/cards.js", SCRIPT, (const uint8_t[]){
#embed "page/cards.js" suffix(, 0)
    }},
    {"/apps.js", SCRIPT, (const uint8_t[]){
#embed "page/apps.js" suffix(, 0)
    }},
    {"/app.js", SCRIPT, (const uint8_t[]){
#embed "page/app.js" suffix(, 0)
    }},
    {"/ledger.js", SCRIPT, (const uint8_t[]){
#embed "page/ledger.js" suffix(, 0)
    }},
    {"/decisions.js", SCRIPT, (const uint8_t[]){
#embed "page/decisions.js" suffix(, 0)
    }},
    {"/rules.js", SCRIPT, (const uint8_t[]){
#embed "page/rules.js" suffix(, 0)
    }},
    {"/plugins.js", SCRIPT, (const uint8_t[]){
#embed "page/plugins.js" suffix(, 0)
    }},
    {"/policies.js", SCRIPT, (const uint8_t[]){
#embed "page/policies.js" suffix(, 0)
    }},
    {"/presses.js", SCRIPT, (const uint8_t[]){
#embed "page/presses.js" suffix(, 0)
    }},
    {"/activity.js", SCRIPT, (const uint8_t[]){
#embed "page/activity.js" suffix(, 0)
    }},
    {"/libraries.js", SCRIPT, (const uint8_t[]){
#embed "page/libraries.js" suffix(, 0)
    }},
    {"/photos.js", SCRIPT, (const uint8_t[]){
#embed "page/photos.js" suffix(, 0)
    }},
    {"/selection.js", SCRIPT, (const uint8_t[]){
#embed "page/selection.js" suffix(, 0)
    }},
    {"/albums.js", SCRIPT, (const uint8_t[]){
#embed "page/albums.js" suffix(, 0)
    }},
    {"/trash.js", SCRIPT, (const uint8_t[]){
#embed "page/trash.js" suffix(, 0)
    }},
    {"/outcomes.js", SCRIPT, (const uint8_t[]){
#embed "page/outcomes.js" suffix(, 0)
    }},
    {"/names.js", SCRIPT, (const uint8_t[]){
#embed "page/names.js" suffix(, 0)
    }},
    {"/reasons.js", SCRIPT, (const uint8_t[]){
#embed "page/reasons.js" suffix(, 0)
    }},
    {"/selectors.js", SCRIPT, (const uint8_t[]){
#embed "page/selectors.js" suffix(, 0)
    }},
    {"/offers.js", SCRIPT, (const uint8_t[]){
#embed "page/offers.js" suffix(, 0)
    }},
    {"/grants.js", SCRIPT, (const uint8_t[]){
#embed "page/grants.js" suffix(, 0)
    }},
    {"/identity.js", SCRIPT, (const uint8_t[]){
#embed "page/identity.js" suffix(, 0)
    }},
    {"/indexing.js", SCRIPT, (const uint8_t[]){
#embed "page/indexing.js" suffix(, 0)
    }},
    {"/access.js", SCRIPT, (const uint8_t[]){
#embed "page/access.js" suffix(, 0)
    }},
    {"/albumDialogs.js", SCRIPT, (const uint8_t[]){
#embed "page/albumDialogs.js" suffix(, 0)
    }},
    {"/answerPages.js", SCRIPT, (const uint8_t[]){
#embed "page/answerPages.js" suffix(, 0)
    }},
    {"/appPhotos.js", SCRIPT, (const uint8_t[]){
#embed "page/appPhotos.js" suffix(, 0)
    }},
    {"/download.js", SCRIPT, (const uint8_t[]){
#embed "page/download.js" suffix(, 0)
    }},
    {"/drafts.js", SCRIPT, (const uint8_t[]){
#embed "page/drafts.js" suffix(, 0)
    }},
    {"/levels.js", SCRIPT, (const uint8_t[]){
#embed "page/levels.js" suffix(, 0)
    }},
    {"/libraryView.js", SCRIPT, (const uint8_t[]){
#embed "page/libraryView.js" suffix(, 0)
    }},
    {"/marks.js", SCRIPT, (const uint8_t[]){
#embed "page/marks.js" suffix(, 0)
    }},
    {"/offerDialog.js", SCRIPT, (const uint8_t[]){
#embed "page/offerDialog.js" suffix(, 0)
    }},
    {"/questions.js", SCRIPT, (const uint8_t[]){
#embed "page/questions.js" suffix(, 0)
    }},
    {"/requests.js", SCRIPT, (const uint8_t[]){
#embed "page/requests.js" suffix(, 0)
    }},
    {"/revoke.js", SCRIPT, (const uint8_t[]){
#embed "page/revoke.js" suffix(, 0)
    }},
    {"/ruleForm.js", SCRIPT, (const uint8_t[]){
#embed "page/ruleForm.js" suffix(, 0)
    }},
    {"/search.js", SCRIPT, (const uint8_t[]){
#embed "page/search.js" suffix(, 0)
    }},
    {"/selectionEdit.js", SCRIPT, (const uint8_t[]){
#embed "page/selectionEdit.js" suffix(, 0)
    }},
    {"/selectionPage.js", SCRIPT, (const uint8_t[]){
#embed "page/selectionPage.js" suffix(, 0)
    }},
    {"/terms.js", SCRIPT, (const uint8_t[]){
#embed "page/terms.js" suffix(, 0)
    }},
    {"/tokens.js", SCRIPT, (const uint8_t[]){
#embed "page/tokens.js" suffix(, 0)
    }},
    {"/videoPlayer.js", SCRIPT, (const uint8_t[]){
#embed "page/videoPlayer.js" suffix(, 0)
    }},
    {"/watch.js", SCRIPT, (const uint8_t[]){
#embed "page/watch.js" suffix(, 0)
    }},
    {"/english.json", "application/json", (const uint8_t[]){
#embed "page/english.json" suffix(, 0)
    }},
    {"/german.json", "application/json", (const uint8_t[]){
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
