import Glibc
import WebPage

exit(WebProgram.run(Array(CommandLine.arguments.dropFirst())))
