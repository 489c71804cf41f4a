import Foundation

exit(RunProgram.run(Array(CommandLine.arguments.dropFirst())))
