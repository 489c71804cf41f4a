import Glibc
import OwnerCommands

tzset()
let status = CommandLineTool.run(Array(CommandLine.arguments.dropFirst()), environment: Surroundings.variables, console: SystemConsole())
exit(status)
