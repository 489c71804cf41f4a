extension Schema {
  /// A path's folder with its slash: what is left when everything after the last slash is cut off.
  static let folderOfLocator = "rtrim(locator, replace(locator, '/', ''))"

  /// What is in a folder, and where a moved file was, without reading all of a library.
  static let folders = """
    CREATE INDEX resources_by_folder ON resources (\(folderOfLocator));
    CREATE INDEX resources_by_hint ON resources (identity_hint) WHERE identity_hint IS NOT NULL;
    CREATE INDEX assets_by_live_photo ON assets (live_photo) WHERE live_photo IS NOT NULL;
    """
}
