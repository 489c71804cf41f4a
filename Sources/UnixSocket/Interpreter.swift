/// Programs that run scripts, so that the executable does not identify the program.
enum Interpreter {
  private static let names: Set<String> = [
    "python", "pypy", "bash", "sh", "dash", "zsh", "ksh", "fish", "busybox", "node", "nodejs", "deno", "bun", "java",
    "perl",
    "ruby", "php", "lua", "luajit", "tclsh", "wish", "guile", "gjs", "Rscript", "R", "dotnet", "mono", "qemu", "wine",
    "osascript",
    "awk", "gawk", "mawk", "julia", "erl", "beam.smp", "ghci", "emacs", "vim", "electron",
  ]

  /// Whether the program at `path` is an interpreter, with any version suffix.
  static func isRun(by path: String) -> Bool {
    guard var name = path.split(separator: "/").last else { return false }
    if name.hasSuffix(" (deleted)") { name = name.dropLast(" (deleted)".count) }
    if names.contains(String(name)) { return true }
    while let last = name.last, last.isNumber || last == "." || last == "-" { name = name.dropLast() }
    if names.contains(String(name)) { return true }
    // The first word decides, for instance in qemu-x86_64 and python3.11-dbg.
    let firstWord = name.prefix { $0.isLetter }
    return firstWord.count < name.count && names.contains(String(firstWord))
  }
}
