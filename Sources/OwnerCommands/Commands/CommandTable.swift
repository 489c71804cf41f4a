/// The one table of commands.
enum CommandTable {
  static let root: Command = Command(
    "photobroker", "Decides which photos each app may see",
    commands: [
      StatusCommands.status, LibraryCommands.group, AppCommands.group, GrantCommands.group, AssetCommands.group,
      PromptCommands.group, TokenCommands.group, LedgerCommands.log, LedgerCommands.decisions, StatusCommands.limits,
      StateCommands.backup, StateCommands.restore, StateCommands.upgrade,
      CallCommand.call, DoctorCommand.doctor, ManualCommands.completions, ManualCommands.man, ManualCommands.help,
    ])
}
