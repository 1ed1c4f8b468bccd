"""The program of client-python.test.ts: the typed, generic and dynamic public Python clients with built-in and custom
kinds. Prints the results as one line of JSON.
"""
import json
import sys

from kubernetes import client, config, dynamic, watch

GROUP, VERSION, KIND, PLURAL, NAMESPACE = "python.example.com", "v1", "Gadget", "gadgets", "default"
NAME = f"{PLURAL}.{GROUP}"
MERGE_PATCH, JSON_PATCH = "application/merge-patch+json", "application/json-patch+json"
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
# By the names that client-python.test.ts expects.
results = {}


def gadget(**members):
    """An object of the custom kind."""
    return {"apiVersion": f"{GROUP}/{VERSION}", "kind": KIND, **members}


def status_of(call):
    """The HTTP status of the error that the call raises; 200 without an error."""
    try:
        call()
        return 200
    except (client.ApiException, dynamic.exceptions.DynamicApiError) as error:
        return error.status


extensions.create_custom_resource_definition(DEFINITION)
establishment = watch.Watch()
for event in establishment.stream(extensions.list_custom_resource_definition, field_selector=f"metadata.name={NAME}", timeout_seconds=30):
    status = event["object"].status
    if status is not None and any(c.type == "Established" and c.status == "True" for c in status.conditions or []):
        establishment.stop()
read = extensions.read_custom_resource_definition(NAME)
# As text: JSON numbers of JavaScript cannot represent it.
results["schemaMaximum"] = str(read.spec.versions[0].schema.open_apiv3_schema.properties["spec"].properties["size"].maximum)

dynamic_client = dynamic.DynamicClient(client.ApiClient())
gadgets = dynamic_client.resources.get(api_version=f"{GROUP}/{VERSION}", kind=KIND)
results["discovered"] = [gadgets.name, gadgets.namespaced, sorted(gadgets.subresources)]
results["defaultedSize"] = gadgets.create(namespace=NAMESPACE, body=gadget(metadata={"name": "one", "labels": {"a": "b"}}, spec={"names": ["x"]})).spec.size
listed = gadgets.get(namespace=NAMESPACE, label_selector="a=b")
results["listedNames"] = [item.metadata.name for item in listed.items]


def patched_size(body, content_type):
    """Patches the gadget and returns `spec.size` of the response."""
    return gadgets.patch(namespace=NAMESPACE, name="one", body=body, content_type=content_type).spec.size


results["sizeAfterMergePatch"] = patched_size({"spec": {"size": 5}}, MERGE_PATCH)
results["sizeAfterJsonPatch"] = patched_size([{"op": "replace", "path": "/spec/size", "value": 6}], JSON_PATCH)
applied = gadget(metadata={"name": "one"}, spec={"size": 7})
results["sizeAfterApply"] = gadgets.server_side_apply(
    namespace=NAMESPACE, name="one", body=applied, field_manager="python", force_conflicts=True
).spec.size
up = gadgets.status.patch(namespace=NAMESPACE, name="one", body={"status": {"phase": "Up"}}, content_type=MERGE_PATCH)
results["patchedPhase"] = up.status.phase
results["readReplicas"] = gadgets.scale.get(namespace=NAMESPACE, name="one").spec.replicas
results["watchedSizes"] = []
for event in gadgets.watch(namespace=NAMESPACE, resource_version=listed.metadata.resourceVersion, timeout=30):
    results["watchedSizes"].append([event["type"], event["object"].spec.size])
    if len(results["watchedSizes"]) == 4:
        break
results["invalidPatchStatus"] = status_of(lambda: patched_size({"spec": {"size": "x"}}, MERGE_PATCH))
results["genericSpec"] = custom.get_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, "one")["spec"]
scaled = custom.patch_namespaced_custom_object_scale(GROUP, VERSION, NAMESPACE, PLURAL, "one", {"spec": {"replicas": 2}})
results["patchedReplicas"] = scaled["spec"]["replicas"]
results["secondCreationStatus"] = status_of(lambda: gadgets.create(namespace=NAMESPACE, body=gadget(metadata={"name": "one"})))

config_maps = dynamic_client.resources.get(api_version="v1", kind="ConfigMap")
config_maps.create(namespace=NAMESPACE, body={"metadata": {"name": "python"}, "data": {"a": "1"}})
core.patch_namespaced_config_map("python", NAMESPACE, {"data": {"b": "2"}})
results["patchedData"] = core.read_namespaced_config_map("python", NAMESPACE).data
results["selectedCount"] = len(core.list_namespaced_config_map(NAMESPACE, field_selector="metadata.name=python").items)
core.delete_namespaced_config_map("python", NAMESPACE)

gadgets.delete(namespace=NAMESPACE, name="one")
results["readAfterDeletionStatus"] = status_of(lambda: gadgets.get(namespace=NAMESPACE, name="one"))
extensions.delete_custom_resource_definition(NAME)
print(json.dumps(results))
