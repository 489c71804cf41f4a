/// A process's control group path, of which only the part that the system controls is used.
///
/// It is parsed from the top: the owner of a delegated subtree can choose any names below it.
/// Source: https://systemd.io/CGROUP_DELEGATION/
struct ControlGroupPath {
  private let components: [Substring]

  /// Parses `/proc/PID/cgroup`; nil if the process is outside this process's cgroup namespace.
  init?(procText: String) {
    var unified: Substring?
    var named: Substring?
    for line in procText.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      if fields[0] == "0", fields[1].isEmpty { unified = fields[2] }
      if fields[1] == "name=systemd" { named = fields[2] }
    }
    // On a hybrid system the unified hierarchy may be empty; the service manager's own is then
    // used.
    guard let path = unified != nil && unified != "/" ? unified : named ?? unified, path.first == "/" else {
      return nil
    }
    components = path.split(separator: "/")
    guard !components.contains("..") else { return nil }
  }

  /// The identity of the program; nil for a login session or a process outside any unit.
  func identity() -> VouchedIdentity? {
    guard let top = firstUnit(from: 0) else { return nil }
    if components[top].hasPrefix("user@"), components[top].hasSuffix(".service") {
      guard let inner = firstUnit(from: top + 1) else { return nil }
      return Self.name(components[inner], within: components[inner...], kind: .userUnit, isForgeable: true)
    }
    return Self.name(components[top], within: components[top...], kind: .systemUnit, isForgeable: false)
  }

  /// The application identifier in the scope `app-flatpak-ID-NUMBER.scope` of the user's
  /// `app.slice`.
  func flatpakScope() -> String? {
    guard let top = firstUnit(from: 0), components[top].hasPrefix("user@"),
      components.count > top + 2, components[top + 1] == "app.slice"
    else { return nil }
    let scope = components[top + 2]
    guard scope.hasPrefix("app-flatpak-"), scope.hasSuffix(".scope") else { return nil }
    let inner = scope.dropFirst("app-flatpak-".count).dropLast(".scope".count)
    guard let dash = inner.lastIndex(of: "-"), inner[inner.index(after: dash)...].allSatisfy(\.isNumber) else {
      return nil
    }
    let name = inner[..<dash]
    return name.isEmpty ? nil : String(name)
  }

  /// The index of the first component that is not a slice.
  private func firstUnit(from start: Int) -> Int? {
    components.indices.dropFirst(start).first { !components[$0].hasSuffix(".slice") }
  }

  private static func name(
    _ unit: Substring, within rest: ArraySlice<Substring>, kind: VouchedIdentity.Kind,
    isForgeable: Bool
  ) -> VouchedIdentity? {
    if let container = container(unit, within: rest) {
      return VouchedIdentity(kind: .container, name: container, isForgeableBySameUser: isForgeable)
    }
    let isService = unit.hasSuffix(".service")
    // A login session, or the service manager's own scope, holds many programs.
    let isScope = unit.hasSuffix(".scope") && !unit.hasPrefix("session-") && unit != "init.scope"
    guard isService || isScope else { return nil }
    return VouchedIdentity(kind: kind, name: unescape(unit), isForgeableBySameUser: isForgeable)
  }

  /// The container's identifier, as container managers name it with systemd and without.
  private static func container(_ unit: Substring, within rest: ArraySlice<Substring>) -> String? {
    for prefix in ["docker-", "libpod-", "cri-containerd-", "crio-"]
    where unit.hasPrefix(prefix) && unit.hasSuffix(".scope") {
      return hexadecimal(unit.dropFirst(prefix.count).dropLast(".scope".count))
    }
    if unit.hasPrefix("systemd-nspawn@"), unit.hasSuffix(".service") {
      return nonEmpty(unit.dropFirst("systemd-nspawn@".count).dropLast(".service".count))
    }
    if unit.hasPrefix("machine-"), unit.hasSuffix(".scope") {
      return nonEmpty(unit.dropFirst("machine-".count).dropLast(".scope".count))
    }
    if unit.hasPrefix("lxc.payload.") { return nonEmpty(unit.dropFirst("lxc.payload.".count)) }
    guard let next = rest.dropFirst().first else { return nil }
    if unit == "docker" || unit == "libpod_parent" {
      return hexadecimal(next.hasPrefix("libpod-") ? next.dropFirst("libpod-".count) : next)
    }
    return unit == "lxc" || unit == "lxc.payload" ? nonEmpty(next) : nil
  }

  /// A container identifier of 64 hexadecimal digits; nil for any other text.
  private static func hexadecimal(_ text: Substring) -> String? {
    text.utf8.count == 64 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
      ? String(text) : nil
  }

  private static func nonEmpty(_ text: Substring) -> String? { unescape(text).isEmpty ? nil : unescape(text) }

  /// The name without the leading underscore that protects names reserved by the kernel.
  private static func unescape(_ text: Substring) -> String { String(text.first == "_" ? text.dropFirst() : text) }
}
