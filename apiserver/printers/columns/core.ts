/**
 * Columns of the kinds of the core group that belong to no other file: pods, nodes, namespaces, Events, configuration
 * and service accounts (cells: ../cells/core.ts).
 */
import { AGE, defineColumn, NAME, WIDE } from '../table/column';
import type { ColumnDefinition } from '../table/convertor';

/** By kind. */
export const CORE_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  ComponentStatus: [
    NAME,
    defineColumn('Status', 'Whether the component is healthy.'),
    defineColumn('Message', 'The message of the component.'),
    defineColumn('Error', 'Why the component could not be checked.'),
  ],
  ConfigMap: [NAME, defineColumn('Data', 'The number of keys in data and binaryData.'), AGE],
  Event: [
    defineColumn('Last Seen', 'The time since the event was last observed.'),
    defineColumn('Type', 'The type of the event: Normal or Warning; new types may be added.'),
    defineColumn('Reason', 'The machine-readable reason, in CamelCase.'),
    defineColumn('Object', 'The object that the event is about, as kind/name.'),
    defineColumn('Subobject', 'The part of the object that the event is about.', WIDE),
    defineColumn('Source', 'The component that reported the event, and its host.', WIDE),
    defineColumn('Message', 'The human-readable description.'),
    defineColumn('First Seen', 'The time since the event was first observed.', WIDE),
    defineColumn('Count', 'The number of times the event was observed.', WIDE),
    defineColumn('Name', NAME.description, { format: 'name', priority: 1 }),
  ],
  Namespace: [NAME, defineColumn('Status', 'Whether the namespace is active or terminating.'), AGE],
  Node: [
    NAME,
    defineColumn('Status', 'Whether the node is ready, and whether new pods may be scheduled on it.'),
    defineColumn('Roles', 'The roles in the labels of the node.'),
    AGE,
    defineColumn('Version', 'The version of the kubelet.'),
    defineColumn('Internal-IP', 'The first internal IP address.', WIDE),
    defineColumn('External-IP', 'The first external IP address.', WIDE),
    defineColumn('OS-Image', 'The operating system image.', WIDE),
    defineColumn('Kernel-Version', 'The kernel version.', WIDE),
    defineColumn('Container-Runtime', 'The container runtime and its version.', WIDE),
  ],
  Pod: [
    NAME,
    defineColumn('Ready', 'The number of ready containers.'),
    defineColumn('Status', 'The phase of the pod, or the reason why it is waiting.'),
    defineColumn('Restarts', 'The number of container restarts, and the time since the last one.'),
    AGE,
    defineColumn('IP', 'The primary IP address of the pod.', WIDE),
    defineColumn('Node', 'The node that the pod is bound to.', WIDE),
    defineColumn('Nominated Node', 'The node on which pods are preempted for this pod.', WIDE),
    defineColumn('Readiness Gates', 'The number of readiness gates that are met.', WIDE),
  ],
  Secret: [NAME, defineColumn('Type', 'The type of the data.'), defineColumn('Data', 'The number of keys.'), AGE],
  ServiceAccount: [NAME, defineColumn('Secrets', 'The number of listed Secrets.'), AGE],
};
