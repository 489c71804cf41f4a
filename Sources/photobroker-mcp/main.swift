import Foundation
import ModelContext

signal(SIGPIPE, SIG_IGN)
exit(await AgentProgram.run(Array(CommandLine.arguments.dropFirst())))
