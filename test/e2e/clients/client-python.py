"""What client-python.test.ts runs: the public Python client, typed, generic and dynamic, over built-in and custom kinds. Prints one line of JSON: what it saw."""
import json
import sys

from kubernetes import client, config, dynamic, watch

GROUP, VERSION, KIND, PLURAL, NAMESPACE = "python.example.com", "v1", "Gadget", "gadgets", "default"
NAME = f"{PLURAL}.{GROUP}"
MERGE, OPERATIONS = "application/merge-patch+json", "application/json-patch+json"
SIZE = {"type": "integer", "default": 3, "maximum": 9223372036854775000}
SPEC = {"type": "object", "properties": {"size": SIZE, "names": {"type": "array", "items": {"type": "string"}}}}
SCHEMA = {
    "type": "object",
    "properties": {"spec": SPEC, "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": NAME},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": PLURAL, "singular": "gadget", "kind": KIND, "listKind": "GadgetList"},
        "versions": [
            {
                "name": VERSION,
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"},
                },
                "schema": {"openAPIV3Schema": SCHEMA},
            }
        ],
    },
}

config.load_kube_config(sys.argv[1])
extensions, core, custom = client.ApiextensionsV1Api(), client.CoreV1Api(), client.CustomObjectsApi()
seen = {}


def gadget(**members):
    return {"apiVersion": f"{GROUP}/{VERSION}", "kind": KIND, **members}


def status_of(call):
    try:
        call()
        return 200
    except (client.ApiException, dynamic.exceptions.DynamicApiError) as error:
        return error.status


extensions.create_custom_resource_definition(DEFINITION)
until = watch.Watch()
for event in until.stream(extensions.list_custom_resource_definition, field_selector=f"metadata.name={NAME}", timeout_seconds=30):
    status = event["object"].status
    if status is not None and any(c.type == "Established" and c.status == "True" for c in status.conditions or []):
        until.stop()
read = extensions.read_custom_resource_definition(NAME)
# As text: not every reader of numbers holds it.
seen["maximum"] = str(read.spec.versions[0].schema.open_apiv3_schema.properties["spec"].properties["size"].maximum)

finder = dynamic.DynamicClient(client.ApiClient())
gadgets = finder.resources.get(api_version=f"{GROUP}/{VERSION}", kind=KIND)
seen["found"] = [gadgets.name, gadgets.namespaced, sorted(gadgets.subresources)]
seen["created"] = gadgets.create(namespace=NAMESPACE, body=gadget(metadata={"name": "one", "labels": {"a": "b"}}, spec={"names": ["x"]})).spec.size
listed = gadgets.get(namespace=NAMESPACE, label_selector="a=b")
seen["listed"] = [item.metadata.name for item in listed.items]


def changed(body, content_type):
    return gadgets.patch(namespace=NAMESPACE, name="one", body=body, content_type=content_type).spec.size


seen["merged"] = changed({"spec": {"size": 5}}, MERGE)
seen["operated"] = changed([{"op": "replace", "path": "/spec/size", "value": 6}], OPERATIONS)
applied = gadget(metadata={"name": "one"}, spec={"size": 7})
seen["applied"] = gadgets.server_side_apply(
    namespace=NAMESPACE, name="one", body=applied, field_manager="python", force_conflicts=True
).spec.size
up = gadgets.status.patch(namespace=NAMESPACE, name="one", body={"status": {"phase": "Up"}}, content_type=MERGE)
seen["status"] = up.status.phase
seen["scale"] = gadgets.scale.get(namespace=NAMESPACE, name="one").spec.replicas
seen["watched"] = []
for event in gadgets.watch(namespace=NAMESPACE, resource_version=listed.metadata.resourceVersion, timeout=30):
    seen["watched"].append([event["type"], event["object"].spec.size])
    if len(seen["watched"]) == 4:
        break
seen["refused"] = status_of(lambda: changed({"spec": {"size": "x"}}, MERGE))
seen["generic"] = custom.get_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, "one")["spec"]
scaled = custom.patch_namespaced_custom_object_scale(GROUP, VERSION, NAMESPACE, PLURAL, "one", {"spec": {"replicas": 2}})
seen["scaled"] = scaled["spec"]["replicas"]
seen["taken"] = status_of(lambda: gadgets.create(namespace=NAMESPACE, body=gadget(metadata={"name": "one"})))

maps = finder.resources.get(api_version="v1", kind="ConfigMap")
maps.create(namespace=NAMESPACE, body={"metadata": {"name": "python"}, "data": {"a": "1"}})
core.patch_namespaced_config_map("python", NAMESPACE, {"data": {"b": "2"}})
seen["map"] = core.read_namespaced_config_map("python", NAMESPACE).data
seen["collection"] = len(core.list_namespaced_config_map(NAMESPACE, field_selector="metadata.name=python").items)
core.delete_namespaced_config_map("python", NAMESPACE)

gadgets.delete(namespace=NAMESPACE, name="one")
seen["gone"] = status_of(lambda: gadgets.get(namespace=NAMESPACE, name="one"))
extensions.delete_custom_resource_definition(NAME)
print(json.dumps(seen))
