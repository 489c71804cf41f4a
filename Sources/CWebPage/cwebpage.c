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
static const uint8_t english_js[] = {
#embed "page/english.js"
};
static const uint8_t german_js[] = {
#embed "page/german.js"
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
static const uint8_t film_js[] = {
#embed "page/film.js"
};
static const uint8_t finding_js[] = {
#embed "page/finding.js"
};
static const uint8_t cards_js[] = {
#embed "page/cards.js"
};
static const uint8_t chooser_js[] = {
#embed "page/chooser.js"
};
static const uint8_t home_js[] = {
#embed "page/home.js"
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
static const uint8_t marking_js[] = {
#embed "page/marking.js"
};
static const uint8_t trash_js[] = {
#embed "page/trash.js"
};
static const uint8_t offering_js[] = {
#embed "page/offering.js"
};
static const uint8_t arrival_js[] = {
#embed "page/arrival.js"
};
static const uint8_t revoking_js[] = {
#embed "page/revoking.js"
};
static const uint8_t outcomes_js[] = {
#embed "page/outcomes.js"
};
static const uint8_t organizing_js[] = {
#embed "page/organizing.js"
};
static const uint8_t refusals_js[] = {
#embed "page/refusals.js"
};
static const uint8_t renewing_js[] = {
#embed "page/renewing.js"
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
    {"/english.js", SCRIPT, english_js, sizeof english_js},
    {"/german.js", SCRIPT, german_js, sizeof german_js},
    {"/server.js", SCRIPT, server_js, sizeof server_js},
    {"/assets.js", SCRIPT, assets_js, sizeof assets_js},
    {"/thumbnails.js", SCRIPT, thumbnails_js, sizeof thumbnails_js},
    {"/layout.js", SCRIPT, layout_js, sizeof layout_js},
    {"/grid.js", SCRIPT, grid_js, sizeof grid_js},
    {"/tile.js", SCRIPT, tile_js, sizeof tile_js},
    {"/track.js", SCRIPT, track_js, sizeof track_js},
    {"/scrubber.js", SCRIPT, scrubber_js, sizeof scrubber_js},
    {"/viewer.js", SCRIPT, viewer_js, sizeof viewer_js},
    {"/film.js", SCRIPT, film_js, sizeof film_js},
    {"/finding.js", SCRIPT, finding_js, sizeof finding_js},
    {"/cards.js", SCRIPT, cards_js, sizeof cards_js},
    {"/chooser.js", SCRIPT, chooser_js, sizeof chooser_js},
    {"/home.js", SCRIPT, home_js, sizeof home_js},
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
    {"/marking.js", SCRIPT, marking_js, sizeof marking_js},
    {"/trash.js", SCRIPT, trash_js, sizeof trash_js},
    {"/offering.js", SCRIPT, offering_js, sizeof offering_js},
    {"/arrival.js", SCRIPT, arrival_js, sizeof arrival_js},
    {"/revoking.js", SCRIPT, revoking_js, sizeof revoking_js},
    {"/outcomes.js", SCRIPT, outcomes_js, sizeof outcomes_js},
    {"/organizing.js", SCRIPT, organizing_js, sizeof organizing_js},
    {"/refusals.js", SCRIPT, refusals_js, sizeof refusals_js},
    {"/renewing.js", SCRIPT, renewing_js, sizeof renewing_js},
    {"/names.js", SCRIPT, names_js, sizeof names_js},
    {"/reasons.js", SCRIPT, reasons_js, sizeof reasons_js},
    {"/selectors.js", SCRIPT, selectors_js, sizeof selectors_js},
    {"/offers.js", SCRIPT, offers_js, sizeof offers_js},
    {"/grants.js", SCRIPT, grants_js, sizeof grants_js},
    {"/identity.js", SCRIPT, identity_js, sizeof identity_js},
    {"/indexing.js", SCRIPT, indexing_js, sizeof indexing_js},
};

const size_t cwebpage_count = sizeof files / sizeof files[0];

const char *cwebpage_path(size_t index) { return index < cwebpage_count ? files[index].path : NULL; }

const char *cwebpage_type(size_t index) { return index < cwebpage_count ? files[index].type : NULL; }

const uint8_t *cwebpage_bytes(size_t index, size_t *length) {
  if (index >= cwebpage_count) return NULL;
  *length = files[index].length;
  return files[index].bytes;
}
