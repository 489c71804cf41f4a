extension Schema {
  /// Libraries' zones by name. A photo that is dated by its library's zone is kept with the offset
  /// by which it was, as one whose file tells the offset is; away ones have the same keys with the
  /// other sign.
  static let zones = """
    ALTER TABLE libraries ADD COLUMN zone_name TEXT;
    UPDATE assets SET date_origin = 3 + 8 * (1001 + coalesce(
      (SELECT zone_offset FROM libraries WHERE libraries.id = abs(assets.id) >> 32), 0)) WHERE date_origin = 3;
    """
}
