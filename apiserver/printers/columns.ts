/**
 * The columns of every kind that has columns of its own, in the order of its cells (cells.ts). Names, types, formats
 * and priorities are those of upstream, because clients print them; the descriptions are this server's own.
 */
import { AGE, defineColumn, CREATED_AT, NAME, WIDE } from './table/column';
import { GOVERNANCE_COLUMNS } from './columns/governance';
import { SCHEDULING_COLUMNS } from './columns/scheduling';
import { NETWORKING_COLUMNS } from './columns/networking';
import { VOLUME_COLUMNS } from './columns/volumes';
import { WORKLOAD_COLUMNS } from './columns/workloads';
import type { ColumnDefinition } from './table/convertor';

/** For kinds without columns of their own. */
export const DEFAULT_COLUMNS: readonly ColumnDefinition[] = [NAME, CREATED_AT];

/** By kind. Kinds of the same name in different groups share their columns. */
export const COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  ...GOVERNANCE_COLUMNS,
  ...SCHEDULING_COLUMNS,
  ...NETWORKING_COLUMNS,
  ...VOLUME_COLUMNS,
  ...WORKLOAD_COLUMNS,
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
  Lease: [NAME, defineColumn('Holder', 'The current holder of the lease.'), AGE],
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
  Service: [
    NAME,
    defineColumn('Type', 'How the Service is exposed.'),
    defineColumn('Cluster-IP', 'The primary cluster IP.'),
    defineColumn('External-IP', 'The addresses or host names that are reachable from outside of the cluster.'),
    defineColumn('Port(s)', 'The ports, with their node ports.'),
    AGE,
    defineColumn('Selector', 'The labels of the pods that serve the Service.', WIDE),
  ],
  ServiceAccount: [NAME, defineColumn('Secrets', 'The number of listed Secrets.'), AGE],
};
