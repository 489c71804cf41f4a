import Glibc
import OwnerCommands

tzset()
let console = SystemConsole()
let words = Array(CommandLine.arguments.dropFirst())
let status = CommandLineTool.run(words, environment: Surroundings.variables, console: console)
exit(status == 0 && console.outputFailure != 0 ? CommandLineTool.outputFailed(console.outputFailure, console) : status)
