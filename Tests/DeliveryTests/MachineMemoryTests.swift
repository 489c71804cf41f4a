import Testing

@testable import Delivery

@Suite struct MachineMemoryTests {
  @Test func `memory limits are read from a group and all its parents, of either kind`() {
    #expect(
      MachineMemory.limitFiles(ofGroups: "0::/system.slice/photobroker.service\n")
        == [
          "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/system.slice/memory.max",
          "/sys/fs/cgroup/system.slice/photobroker.service/memory.max",
        ])
    #expect(
      MachineMemory.limitFiles(ofGroups: "5:cpu,memory:/a\n3:cpuset:/b\n")
        == ["/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/a/memory.limit_in_bytes"])
    #expect(MachineMemory.limitFiles(ofGroups: "0::/\n") == ["/sys/fs/cgroup/memory.max"])
    #expect(MachineMemory.limitFiles(ofGroups: "nonsense\n\n1:\n") == [])
  }

  @Test func `a share is never less than the minimum`() throws {
    let bytes = try #require(MachineMemory.bytes)
    #expect(MachineMemory.part(4, least: 1) == bytes / 4)
    #expect(MachineMemory.part(4, least: bytes) == bytes)
  }
}
