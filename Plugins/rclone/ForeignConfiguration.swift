import PluginKit

/// Checks a configuration that a user passed as text. It may only use network services with an
/// account inside the text. It must not read this machine's files, use its accounts or run
/// programs; unknown options are refused. An administrator's file (option `config`) is not
/// restricted.
enum ForeignConfiguration {
  private static let types = words(
    """
    azureblob b2 box drive dropbox fichier filefabric ftp hidrive http internetarchive jottacloud
    koofr mailru mega netstorage onedrive opendrive pcloud premiumizeme putio qingstor s3 seafile
    sftp sharefile smb storj sugarsync swift uptobox webdav yandex zoho
    """
  ).union(["google cloud storage", "google photos"])

  /// Required options of types that otherwise use an account of the machine: one of the set.
  private static let keys: [String: Set<String>] = [
    // rclone ignores an invalid token and then uses the machine's account.
    "google cloud storage": ["service_account_credentials", anonymous],
    "sftp": ["pass", "key_pem"],
  ]

  /// `true` disables accounts.
  private static let anonymous = "anonymous"

  /// Options that use an account of the machine when enabled, and that `rclone config` writes when
  /// disabled. `false` is ignored for these alone: elsewhere it may name a program or file.
  private static let switches: Set<String> = ["env_auth", "key_use_agent", "use_az", "use_emulator", "use_msi"]

  /// All options of these types in rclone 1.60 that name no files, programs or accounts of the
  /// machine.
  private static let options = words(
    """
    2fa access_grant access_key_id access_scopes access_tier access_token account acknowledge_abuse
    acl allow_import_name_change alternate_export anonymous api_key app_id application_credential_id
    application_credential_name application_credential_secret archive_tier_delete auth
    auth_owner_only auth_token auth_url auth_version authorization authorization_expiry
    batch_commit_timeout batch_mode batch_size batch_timeout bearer_token box_sub_type bucket_acl
    bucket_policy_only case_insensitive check_hash chunk_size client_id client_secret close_timeout
    commit_retries concurrency configVersion connection_retries copy_cutoff copy_shortcut_content
    create_library debug decompress deleted_id description device disable_checksum
    disable_concurrent_reads disable_concurrent_writes disable_epsv disable_fetching_member_count
    disable_hashcheck disable_http2 disable_mlsd disable_site_permission disable_tls13 disable_utf8
    domain download_auth_duration download_url drive_id drive_type encoding endpoint endpoint_type
    explicit_tls export_formats expose_onenote_files file_password folder_password force_list_hidden
    force_path_style formats front_endpoint hard_delete headers hide_special_share host hostname
    idle_timeout impersonate import_formats include_archived keep_revision_forever key key_file_pass
    key_pem leave_parts_on_error library library_key link_password link_scope link_type list_chunk
    list_url_encode list_version location location_constraint max_upload_parts md5_memory_limit
    memory_pool_flush_time memory_pool_use_mmap might_gzip mountid mountpoint no_check_bucket
    no_check_certificate no_chunk no_head no_head_object no_large_objects no_slash
    no_system_metadata no_versions object_acl owned_by pacer_burst pacer_min_sleep pass passphrase
    password path_override permanent_token port private_access_key project_number protocol provider
    public_access quirks read_only read_size refresh_token region requester_pays resource_key
    root_folder_id root_id root_prefix sas_url satellite_address scope scope_access scope_role
    secret secret_access_key server_side_across_configs server_side_encryption
    service_account_credentials session_token set_modtime setmtime shared_files shared_folder
    shared_folders shared_with_me shell_type shut_timeout size_as_quota skip_checksum_gphotos
    skip_dangling_shortcuts skip_gdocs skip_links skip_shortcuts speedup_enable
    speedup_file_patterns speedup_max_disk speedup_max_memory sse_customer_algorithm
    sse_customer_key sse_customer_key_base64 sse_customer_key_md5 sse_kms_key_id starred_only
    start_year stop_on_download_limit stop_on_upload_limit storage_class storage_policy storage_url
    subsystem team_drive tenant tenant_domain tenant_id test_mode tls tls_cache_size token tokenURL
    token_expiry token_url trashed_only type upload_concurrency upload_cutoff upload_resume_limit
    url use_accelerate_endpoint use_created_date use_fstat use_insecure_cipher use_multipart_etag
    use_presigned_request use_shared_date use_trash user user_agent user_id username v2_auth
    v2_download_min_size vendor version version_at versions wait_archive writing_mdtm zone
    """)

  private static func words(_ text: String) -> Set<String> {
    Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
  }

  /// Checks the output of `rclone config dump`: an object of remotes, each an object of strings,
  /// one per line.
  ///
  /// Quotation marks in a value are escaped, so that a value cannot look like a key.
  /// - Throws: `invalidOption`.
  static func check(_ dump: String) throws(PluginError) {
    var remote: [String: String]?
    for line in dump.split(separator: "\n").map({ $0.drop { $0 == " " || $0 == "\t" } }) {
      switch line {
      case "{", "{}": continue
      case "}", "},":
        if let remote { try check(remote) }
        remote = nil
      case _ where line.hasSuffix(": {") || line.hasSuffix(": {}") || line.hasSuffix(": {},"):
        // A remote with a dot in its name inherits options from the remote before the dot.
        guard !line.contains(".") else { throw dotted }
        remote = [:]
        guard line.hasSuffix("{") else { throw typeless }
      default:
        guard let (key, value) = pair(line) else { throw unknown(line.prefix(80)) }
        // rclone ignores empty values. Its other spellings of false (0, f, FALSE and maybe more)
        // are not all known here.
        guard !value.isEmpty, value != "false" || !switches.contains(String(key)) else { continue }
        guard options.contains(String(key)) else { throw unknown(key) }
        guard key != anonymous || value == "true" else { throw unknown(key) }
        remote?[String(key)] = String(value)
      }
    }
  }

  private static func check(_ remote: [String: String]) throws(PluginError) {
    guard let type = remote["type"] else { throw typeless }
    guard types.contains(type) else {
      throw PluginError(
        .invalidOption,
        """
        The credential "configuration" may name network services only. Ask an administrator to put it into a file of \
        the broker's user, and name the file with option "config".
        """
      )
    }
    if let needed = keys[type], needed.isDisjoint(with: remote.keys) {
      throw PluginError(
        .invalidOption,
        "A remote of type \"\(type)\" in the credential \"configuration\" has no account of its own. Add one of "
          + needed.sorted().map { "\"\($0)\"" }.joined(separator: ", ") + ".")
    }
  }

  private static let dotted = PluginError(
    .invalidOption,
    "A remote in the credential \"configuration\" has a dot in its name, which may change its type. Rename the remote.")

  private static let typeless = PluginError(
    .invalidOption,
    "A remote in the credential \"configuration\" has no \"type\". Add the type, or remove the remote.")

  private static func unknown(_ key: Substring) -> PluginError {
    PluginError(
      .invalidOption,
      """
      The credential "configuration" may not have "\(key)": it must hold its own keys and accounts, and run no \
      programs. Put a key into the text itself (key_pem, service_account_credentials), or ask an administrator for a \
      file (option "config").
      """
    )
  }

  private static func pair(_ line: Substring) -> (key: Substring, value: Substring)? {
    guard line.first == "\"", let end = line.dropFirst().firstIndex(of: "\"") else { return nil }
    let key = line[line.index(after: line.startIndex)..<end]
    let rest = line[line.index(after: end)...]
    guard rest.hasPrefix(": \"") else { return nil }
    let value = rest.dropFirst(3)
    return (key, value.firstIndex(of: "\"").map { value[..<$0] } ?? value)
  }
}
