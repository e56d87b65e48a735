"""Runs OpenStack Swift with its S3 interface: all of its servers in one process. Arguments: the folder of the data, the port,
the region, the key (account:user) and the secret. A folder of an earlier run still has its data."""

import os
import sys

import eventlet
import eventlet.wsgi

eventlet.monkey_patch()

from swift.common import utils

folder, port, region, key, secret = sys.argv[1:]
account, user = key.split(":")


def write(name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = test\n")
utils.set_swift_dir(folder)

# After that: they read swift.conf when they are imported.
from swift.common.ring import RingBuilder
from swift.common.wsgi import SwiftHttpProtocol, loadapp

os.makedirs(os.path.join(folder, "disk"), exist_ok=True)
settings = f"[DEFAULT]\nswift_dir = {folder}\ndevices = {folder}\nmount_check = false\n"


def serve(socket, name, conf):
    write(f"{name}.conf", settings + conf)
    app = loadapp(os.path.join(folder, f"{name}.conf"))
    # Headers as S3 clients expect them: "ETag", not "Etag".
    options = {"protocol": SwiftHttpProtocol, "capitalize_response_headers": False, "log_output": False}
    return eventlet.spawn(eventlet.wsgi.server, socket, app, **options)


sockets = {name: eventlet.listen(("127.0.0.1", 0)) for name in ("account", "container", "object")}
for name, socket in sockets.items():
    ring = RingBuilder(part_power=1, replicas=1, min_part_hours=0)
    own_port = socket.getsockname()[1]
    ring.add_dev({"region": 1, "zone": 1, "weight": 1, "ip": "127.0.0.1", "port": own_port, "device": "disk"})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, f"{name}.ring.gz"))
for name, socket in sockets.items():
    serve(socket, name, f"[pipeline:main]\npipeline = server\n[app:server]\nuse = egg:swift#{name}\n")

# tempauth needs the cache, but works while no memcached listens.
proxy = f"""
[pipeline:main]
pipeline = cache s3api tempauth proxy-server
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
location = {region}
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret} .admin
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
"""
serving = serve(eventlet.listen(("127.0.0.1", int(port))), "proxy", proxy)
print("ready", flush=True)
serving.wait()
