enum CommandTable {
  static let root: Command = Command(
    "photobroker", "Decides which photos each app may see",
    commands: [
      StatusCommands.status, OpenCommand.open, NotifyCommand.notify, RunCommand.run, LibraryCommands.group,
      AppCommands.group,
      GrantCommands.group, ApplyCommand.apply, RuleCommands.group, AssetCommands.group, AlbumCommands.group,
      PromptCommands.group, PickerCommands.group, TokenCommands.group, LedgerCommands.log, LedgerCommands.decisions,
      LedgerCommands.undo,
      AdministratorCommands.group, PluginCommands.group, DescribeCommands.group, StatusCommands.limits,
      StateCommands.backup, StateCommands.restore,
      SandboxCommand.sandbox, CallCommand.call, DoctorCommand.doctor, ManualCommands.completions, ManualCommands.man,
      ManualCommands.help,
    ])
}
