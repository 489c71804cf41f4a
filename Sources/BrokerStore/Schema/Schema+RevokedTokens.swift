extension Schema {
  /// Of revoked tokens, which were once kept for ever, the latest eight of each grant and of each
  /// app's own stay (``TokenRecord``).
  static let revokedTokens = """
    DELETE FROM tokens WHERE accessor IN (
      SELECT accessor FROM (
        SELECT accessor, row_number() OVER (PARTITION BY app, library, level ORDER BY minted DESC, accessor DESC) AS place
        FROM tokens WHERE is_revoked = 1
      ) WHERE place > 8
    );
    """
}
