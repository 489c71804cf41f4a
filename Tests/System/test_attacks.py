"""Attacks on the running broker: those by which one user would keep others from it."""
import resource
import time

from house.broker import Broker


def test_strangers_at_the_owners_socket_keep_no_owner_from_revoking(scene):
    scene.limit(0)
    held = []
    for _ in range(3):
        stranger = scene.broker.stranger()
        held.append(stranger.run(take_at_the_owners, path=str(scene.broker.admin_socket), count=100))
    assert held == [64, 64, 0]
    scene.owner.new_connection()
    scene.unselect(0)
    assert scene.app.names() == []


def take_at_the_owners(agent, path, count):
    import socket
    agent.clients = []
    for _ in range(count):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(5)
        try:
            client.connect(path)
            client.sendall(b'{"method":"org.varlink.service.GetInfo"}\0')
            if not client.recv(1 << 16):
                break
        except OSError:
            break
        agent.clients.append(client)
    return len(agent.clients)


def test_observers_that_are_gone_before_their_first_reply_are_not_counted(scene):
    scene.limit(0)

    def ask_and_go(agent, tokens, times):
        from photobroker import Connection
        for _ in range(times):
            connection = Connection(agent.path, timeout=10)
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            connection.socket.sendall(b'{"method":"io.photobroker.Library.ObserveChanges","more":true}\0')
            connection.socket.close()
    scene.app.run(ask_and_go, tokens=[scene.app.own_token, scene.app.token], times=200)

    def observe(agent, tokens):
        from photobroker import Connection
        connection = Connection(agent.path, timeout=10)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        for reply, _ in connection.stream("io.photobroker.Library.ObserveChanges"):
            return sorted(reply)
    assert scene.app.run(observe, tokens=[scene.app.own_token, scene.app.token])


def test_processes_that_connected_once_and_stay_hold_few_descriptors(scene):
    scene.limit(0)
    before = scene.broker.descriptor_count()
    attacker = scene.broker.stranger()

    def leave_processes(agent, count):
        import os
        import signal
        import socket
        children = []
        for _ in range(count):
            child = os.fork()
            if child == 0:
                try:
                    client = socket.socket(socket.AF_UNIX)
                    client.connect(agent.path)
                    client.sendall(b'{"method":"io.photobroker.Library.GetLimits"}\0')
                    client.recv(1 << 16)
                    client.close()
                except OSError:
                    pass
                finally:
                    signal.pause()
                    os._exit(0)
            children.append(child)
        agent.children = children
    attacker.run(leave_processes, count=600)
    time.sleep(3)
    held = scene.broker.descriptor_count() - before
    assert scene.app.names() == [scene.pictures[0]]

    def end_processes(agent):
        import os
        import signal
        for child in agent.children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    attacker.run(end_processes)
    assert held <= 512 + 8, held
    assert scene.broker.wait_until_descriptors(before + 4) <= before + 4


def test_the_broker_may_open_as_many_files_as_the_system_lets_it(house):
    def few():
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    broker = Broker(house, name=f"few-{house.fresh_uid()}").start(preexec_fn=few)
    try:
        line = next(l for l in open(f"/proc/{broker.process.pid}/limits") if l.startswith("Max open files"))
        soft, hard = line.split()[3:5]
        assert soft == hard, line
    finally:
        broker.end()


def test_descriptors_before_the_end_of_a_call_do_not_pile_up(scene):
    scene.allow(level="addOnly")
    before = scene.broker.descriptor_count()

    def pile(agent, tokens):
        import socket
        from photobroker import Connection
        connection = Connection(agent.path, timeout=10)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        sent = 0
        with open("/dev/null") as file:
            try:
                for _ in range(200):
                    socket.send_fds(connection.socket, [b" "], [file.fileno()] * 16)
                    sent += 16
            except OSError:
                pass
        agent.pile = connection
        return sent
    sent = scene.app.run(pile, tokens=[scene.app.own_token, scene.app.token])
    time.sleep(0.5)
    assert sent > 0 and scene.broker.descriptor_count() - before <= 64 + 4, sent
