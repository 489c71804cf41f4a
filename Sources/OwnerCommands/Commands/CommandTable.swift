enum CommandTable {
  static let root: Command = Command(
    "photobroker", "Decides which photos each app may see",
    commands: [
      StatusCommands.status, OpenCommand.open, NotifyCommand.notify, RunCommand.run, AgentCommand.mcp,
      LibraryCommands.group,
      AppCommands.group, GrantCommands.group, ApplyCommand.apply, RuleCommands.group, AssetCommands.group,
      AlbumCommands.group, PromptCommands.group, PickerCommands.group, DeletionCommands.group, LedgerCommands.log,
      LedgerCommands.decisions, LedgerCommands.undo, AdministratorCommands.group, PluginCommands.group,
      StateCommands.backup,
      StateCommands.restore, ManualCommands.completions, ManualCommands.man, ManualCommands.help,
    ] + forDevelopers)

  /// Listed at the end of the help.
  static let forDevelopers: [Command] = [
    DoctorCommand.doctor, SandboxCommand.sandbox, TokenCommands.group, DescribeCommands.group, CallCommand.call,
    StatusCommands.limits, ManualCommands.complete,
  ]
}
