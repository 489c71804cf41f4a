import Testing

@testable import UnixSocket

extension UnixSocketTests {
  @Suite struct ControlGroupPathTests {
    private static let hex = String(repeating: "0123456789abcdef", count: 4)

    struct Case: Sendable, CustomTestStringConvertible {
      let text: String
      let kind: VouchedIdentity.Kind?
      let name: String?
      var isForgeable = false
      var testDescription: String { text }
    }

    private static let cases = [
      Case(text: "0::/system.slice/photos.service", kind: .systemUnit, name: "photos.service"),
      Case(
        text: "0::/system.slice/system-app.slice/app@one.service/worker", kind: .systemUnit, name: "app@one.service"),
      Case(text: "0::/system.slice/run-u7.scope", kind: .systemUnit, name: "run-u7.scope"),
      Case(text: "0::/system.slice/docker-\(hex).scope", kind: .container, name: hex),
      Case(text: "0::/docker/\(hex)", kind: .container, name: hex),
      Case(text: "0::/machine.slice/libpod-\(hex).scope/container", kind: .container, name: hex),
      Case(text: "0::/machine.slice/systemd-nspawn@web.service/payload", kind: .container, name: "web"),
      Case(text: "0::/machine.slice/machine-web.scope", kind: .container, name: "web"),
      Case(text: "0::/lxc/web/init", kind: .container, name: "web"),
      Case(text: "0::/lxc.payload.web", kind: .container, name: "web"),
      Case(
        text: "0::/user.slice/user-1000.slice/user@1000.service/app.slice/viewer.service", kind: .userUnit,
        name: "viewer.service",
        isForgeable: true),
      Case(
        text: "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-\(hex).scope", kind: .container,
        name: hex,
        isForgeable: true),
      // A user's own subtree can have any name, and must not pass for the system's.
      Case(
        text: "0::/user.slice/user-1000.slice/user@1000.service/system.slice/photos.service", kind: .userUnit,
        name: "photos.service",
        isForgeable: true),
      Case(text: "0::/user.slice/user-1000.slice/session-3.scope", kind: nil, name: nil),
      Case(text: "0::/init.scope", kind: nil, name: nil),
      Case(text: "0::/", kind: nil, name: nil),
      Case(text: "0::/../../system.slice/photos.service", kind: nil, name: nil),
      Case(text: "0::/docker/not-hexadecimal", kind: nil, name: nil),
      // Only root can make it there: a unit, although the name is like a container's.
      Case(text: "0::/system.slice/docker-short.scope", kind: .systemUnit, name: "docker-short.scope"),
      Case(text: "garbage", kind: nil, name: nil),
      Case(text: "", kind: nil, name: nil),
      Case(
        text: "12:cpu:/x.service\n1:name=systemd:/system.slice/old.service\n0::/", kind: .systemUnit,
        name: "old.service"),
    ]

    @Test(arguments: cases)
    func `a path vouches for the system's own part`(testCase: Case) {
      let identity = ControlGroupPath(procText: testCase.text + "\n").flatMap { $0.identity() }
      #expect(identity?.kind == testCase.kind)
      #expect(identity?.name == testCase.name)
      if let identity { #expect(identity.isForgeableBySameUser == testCase.isForgeable) }
    }

    @Test(arguments: [
      (
        "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak-org.example.Viewer-4711.scope",
        "org.example.Viewer"
      ),
      (
        "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak-org.example.My-App-4711.scope",
        "org.example.My-App"
      ),
      ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-org.example.Viewer-4711.scope", nil),
      ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak--1.scope", nil),
      ("0::/system.slice/app-flatpak-org.example.Viewer-4711.scope", nil),
    ])
    func `a Flatpak scope names its application`(text: String, name: String?) {
      #expect(ControlGroupPath(procText: text).flatMap { $0.flatpakScope() } == name)
    }

    @Test func `Flatpak's file counts only on Flatpak's kind of root`() {
      let root = "1 0 0:1 /newroot / ro,nosuid - tmpfs tmpfs rw\n"
      let info = "2 1 0:2 /.x /.flatpak-info ro - "
      #expect(ProcessFacts.hasFlatpakRoot(root + info + "tmpfs tmpfs rw\n"))
      #expect(!ProcessFacts.hasFlatpakRoot(root + info + "fuse.evil evil rw\n"))
      #expect(!ProcessFacts.hasFlatpakRoot("1 0 8:1 / / rw - fuse evil rw\n" + info + "tmpfs tmpfs rw\n"))
      #expect(!ProcessFacts.hasFlatpakRoot(root))
      #expect(
        ProcessFacts.applicationName("[Application]\nname=org.example.Viewer\n[Instance]\nname=x\n")
          == "org.example.Viewer")
      #expect(ProcessFacts.applicationName("[Instance]\nname=x\n") == nil)
    }

    @Test(arguments: [
      ("/usr/bin/python3.11", true), ("/usr/bin/bash", true), ("/usr/bin/node", true), ("/opt/jdk-21/bin/java", true),
      ("/usr/bin/perl5.36-x86_64-linux-gnu", true), ("/usr/bin/ruby3.1", true), ("/usr/bin/python3.11 (deleted)", true),
      ("/usr/bin/photobroker", false), ("/usr/bin/javaws-viewer", false), ("/usr/bin/shotwell", false), ("", false),
      ("/", false),
      ("/123", false),
    ])
    func `R138 interpreters of any version are recognized`(path: String, isInterpreter: Bool) {
      #expect(Interpreter.isRun(by: path) == isInterpreter)
    }
  }
}
