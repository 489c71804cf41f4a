#include "cwebpage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t index_html[] = {
#embed "page/index.html"
};
static const uint8_t icon_svg[] = {
#embed "page/icon.svg"
};
static const uint8_t page_css[] = {
#embed "page/page.css"
};
static const uint8_t start_js[] = {
#embed "page/start.js"
};
static const uint8_t main_js[] = {
#embed "page/main.js"
};
static const uint8_t dom_js[] = {
#embed "page/dom.js"
};
static const uint8_t icons_js[] = {
#embed "page/icons.js"
};
static const uint8_t text_js[] = {
#embed "page/text.js"
};
static const uint8_t server_js[] = {
#embed "page/server.js"
};
static const uint8_t assets_js[] = {
#embed "page/assets.js"
};
static const uint8_t thumbnails_js[] = {
#embed "page/thumbnails.js"
};
static const uint8_t layout_js[] = {
#embed "page/layout.js"
};
static const uint8_t grid_js[] = {
#embed "page/grid.js"
};
static const uint8_t tile_js[] = {
#embed "page/tile.js"
};
static const uint8_t track_js[] = {
#embed "page/track.js"
};
static const uint8_t scrubber_js[] = {
#embed "page/scrubber.js"
};
static const uint8_t viewer_js[] = {
#embed "page/viewer.js"
};
static const uint8_t cards_js[] = {
#embed "page/cards.js"
};
static const uint8_t apps_js[] = {
#embed "page/apps.js"
};
static const uint8_t app_js[] = {
#embed "page/app.js"
};
static const uint8_t ledger_js[] = {
#embed "page/ledger.js"
};
static const uint8_t decisions_js[] = {
#embed "page/decisions.js"
};
static const uint8_t rules_js[] = {
#embed "page/rules.js"
};
static const uint8_t plugins_js[] = {
#embed "page/plugins.js"
};
static const uint8_t policies_js[] = {
#embed "page/policies.js"
};
static const uint8_t presses_js[] = {
#embed "page/presses.js"
};
static const uint8_t activity_js[] = {
#embed "page/activity.js"
};
static const uint8_t libraries_js[] = {
#embed "page/libraries.js"
};
static const uint8_t photos_js[] = {
#embed "page/photos.js"
};
static const uint8_t selection_js[] = {
#embed "page/selection.js"
};
static const uint8_t albums_js[] = {
#embed "page/albums.js"
};
static const uint8_t trash_js[] = {
#embed "page/trash.js"
};
static const uint8_t outcomes_js[] = {
#embed "page/outcomes.js"
};
static const uint8_t names_js[] = {
#embed "page/names.js"
};
static const uint8_t reasons_js[] = {
#embed "page/reasons.js"
};
static const uint8_t selectors_js[] = {
#embed "page/selectors.js"
};
static const uint8_t offers_js[] = {
#embed "page/offers.js"
};
static const uint8_t grants_js[] = {
#embed "page/grants.js"
};
static const uint8_t identity_js[] = {
#embed "page/identity.js"
};
static const uint8_t indexing_js[] = {
#embed "page/indexing.js"
};
static const uint8_t access_js[] = {
#embed "page/access.js"
};
static const uint8_t albumDialogs_js[] = {
#embed "page/albumDialogs.js"
};
static const uint8_t answerPages_js[] = {
#embed "page/answerPages.js"
};
static const uint8_t appPhotos_js[] = {
#embed "page/appPhotos.js"
};
static const uint8_t download_js[] = {
#embed "page/download.js"
};
static const uint8_t drafts_js[] = {
#embed "page/drafts.js"
};
static const uint8_t levels_js[] = {
#embed "page/levels.js"
};
static const uint8_t libraryView_js[] = {
#embed "page/libraryView.js"
};
static const uint8_t marks_js[] = {
#embed "page/marks.js"
};
static const uint8_t offerDialog_js[] = {
#embed "page/offerDialog.js"
};
static const uint8_t questions_js[] = {
#embed "page/questions.js"
};
static const uint8_t requests_js[] = {
#embed "page/requests.js"
};
static const uint8_t revoke_js[] = {
#embed "page/revoke.js"
};
static const uint8_t ruleForm_js[] = {
#embed "page/ruleForm.js"
};
static const uint8_t search_js[] = {
#embed "page/search.js"
};
static const uint8_t selectionEdit_js[] = {
#embed "page/selectionEdit.js"
};
static const uint8_t selectionPage_js[] = {
#embed "page/selectionPage.js"
};
static const uint8_t terms_js[] = {
#embed "page/terms.js"
};
static const uint8_t tokens_js[] = {
#embed "page/tokens.js"
};
static const uint8_t videoPlayer_js[] = {
#embed "page/videoPlayer.js"
};
static const uint8_t watch_js[] = {
#embed "page/watch.js"
};
static const uint8_t english_json[] = {
#embed "page/english.json"
};
static const uint8_t german_json[] = {
#embed "page/german.json"
};

typedef struct {
  const char *path;
  const char *type;
  const uint8_t *bytes;
  size_t length;
} File;

#define SCRIPT "text/javascript; charset=utf-8"

static const File files[] = {
    {"/", "text/html; charset=utf-8", index_html, sizeof index_html},
    {"/icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
    {"/page.css", "text/css; charset=utf-8", page_css, sizeof page_css},
    {"/start.js", SCRIPT, start_js, sizeof start_js},
    {"/main.js", SCRIPT, main_js, sizeof main_js},
    {"/dom.js", SCRIPT, dom_js, sizeof dom_js},
    {"/icons.js", SCRIPT, icons_js, sizeof icons_js},
    {"/text.js", SCRIPT, text_js, sizeof text_js},
    {"/server.js", SCRIPT, server_js, sizeof server_js},
    {"/assets.js", SCRIPT, assets_js, sizeof assets_js},
    {"/thumbnails.js", SCRIPT, thumbnails_js, sizeof thumbnails_js},
    {"/layout.js", SCRIPT, layout_js, sizeof layout_js},
    {"/grid.js", SCRIPT, grid_js, sizeof grid_js},
    {"/tile.js", SCRIPT, tile_js, sizeof tile_js},
    {"/track.js", SCRIPT, track_js, sizeof track_js},
    {"/scrubber.js", SCRIPT, scrubber_js, sizeof scrubber_js},
    {"/viewer.js", SCRIPT, viewer_js, sizeof viewer_js},
    {"/cards.js", SCRIPT, cards_js, sizeof cards_js},
    {"/apps.js", SCRIPT, apps_js, sizeof apps_js},
    {"/app.js", SCRIPT, app_js, sizeof app_js},
    {"/ledger.js", SCRIPT, ledger_js, sizeof ledger_js},
    {"/decisions.js", SCRIPT, decisions_js, sizeof decisions_js},
    {"/rules.js", SCRIPT, rules_js, sizeof rules_js},
    {"/plugins.js", SCRIPT, plugins_js, sizeof plugins_js},
    {"/policies.js", SCRIPT, policies_js, sizeof policies_js},
    {"/presses.js", SCRIPT, presses_js, sizeof presses_js},
    {"/activity.js", SCRIPT, activity_js, sizeof activity_js},
    {"/libraries.js", SCRIPT, libraries_js, sizeof libraries_js},
    {"/photos.js", SCRIPT, photos_js, sizeof photos_js},
    {"/selection.js", SCRIPT, selection_js, sizeof selection_js},
    {"/albums.js", SCRIPT, albums_js, sizeof albums_js},
    {"/trash.js", SCRIPT, trash_js, sizeof trash_js},
    {"/outcomes.js", SCRIPT, outcomes_js, sizeof outcomes_js},
    {"/names.js", SCRIPT, names_js, sizeof names_js},
    {"/reasons.js", SCRIPT, reasons_js, sizeof reasons_js},
    {"/selectors.js", SCRIPT, selectors_js, sizeof selectors_js},
    {"/offers.js", SCRIPT, offers_js, sizeof offers_js},
    {"/grants.js", SCRIPT, grants_js, sizeof grants_js},
    {"/identity.js", SCRIPT, identity_js, sizeof identity_js},
    {"/indexing.js", SCRIPT, indexing_js, sizeof indexing_js},
    {"/access.js", SCRIPT, access_js, sizeof access_js},
    {"/albumDialogs.js", SCRIPT, albumDialogs_js, sizeof albumDialogs_js},
    {"/answerPages.js", SCRIPT, answerPages_js, sizeof answerPages_js},
    {"/appPhotos.js", SCRIPT, appPhotos_js, sizeof appPhotos_js},
    {"/download.js", SCRIPT, download_js, sizeof download_js},
    {"/drafts.js", SCRIPT, drafts_js, sizeof drafts_js},
    {"/levels.js", SCRIPT, levels_js, sizeof levels_js},
    {"/libraryView.js", SCRIPT, libraryView_js, sizeof libraryView_js},
    {"/marks.js", SCRIPT, marks_js, sizeof marks_js},
    {"/offerDialog.js", SCRIPT, offerDialog_js, sizeof offerDialog_js},
    {"/questions.js", SCRIPT, questions_js, sizeof questions_js},
    {"/requests.js", SCRIPT, requests_js, sizeof requests_js},
    {"/revoke.js", SCRIPT, revoke_js, sizeof revoke_js},
    {"/ruleForm.js", SCRIPT, ruleForm_js, sizeof ruleForm_js},
    {"/search.js", SCRIPT, search_js, sizeof search_js},
    {"/selectionEdit.js", SCRIPT, selectionEdit_js, sizeof selectionEdit_js},
    {"/selectionPage.js", SCRIPT, selectionPage_js, sizeof selectionPage_js},
    {"/terms.js", SCRIPT, terms_js, sizeof terms_js},
    {"/tokens.js", SCRIPT, tokens_js, sizeof tokens_js},
    {"/videoPlayer.js", SCRIPT, videoPlayer_js, sizeof videoPlayer_js},
    {"/watch.js", SCRIPT, watch_js, sizeof watch_js},
    {"/english.json", "application/json", english_json, sizeof english_json},
    {"/german.json", "application/json", german_json, sizeof german_json},
};

const size_t cwebpage_count = sizeof files / sizeof files[0];

const char *cwebpage_path(size_t index) { return index < cwebpage_count ? files[index].path : NULL; }

const char *cwebpage_type(size_t index) { return index < cwebpage_count ? files[index].type : NULL; }

const uint8_t *cwebpage_bytes(size_t index, size_t *length) {
  if (index >= cwebpage_count) return NULL;
  *length = files[index].length;
  return files[index].bytes;
}
