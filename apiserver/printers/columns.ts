/**
 * The columns of every kind with its own, in the order of its cells (cells.ts). Clients print names, types, formats and
 * priorities as they are; the descriptions are this server's own.
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
    defineColumn('Status', 'Whether it is healthy.'),
    defineColumn('Message', 'What it says of itself.'),
    defineColumn('Error', 'Why it could not be asked.'),
  ],
  ConfigMap: [NAME, defineColumn('Data', 'The number of keys, text and binary together.'), AGE],
  Event: [
    defineColumn('Last Seen', 'The time since it was observed last.'),
    defineColumn('Type', 'Normal or Warning; new types may appear.'),
    defineColumn('Reason', 'A short word for why it happened, meant for programs.'),
    defineColumn('Object', 'What it is about, as kind/name.'),
    defineColumn('Subobject', 'The part of the object that it is about.', WIDE),
    defineColumn('Source', 'The component that reported it, and where that runs.', WIDE),
    defineColumn('Message', 'What happened, meant for people.'),
    defineColumn('First Seen', 'The time since it was observed first.', WIDE),
    defineColumn('Count', 'How often it has been observed.', WIDE),
    defineColumn('Name', NAME.description, { format: 'name', priority: 1 }),
  ],
  Lease: [NAME, defineColumn('Holder', 'Who holds the lease at present.'), AGE],
  Namespace: [NAME, defineColumn('Status', 'Whether the namespace is active or being removed.'), AGE],
  Node: [
    NAME,
    defineColumn('Status', 'Whether the node is ready, and whether new pods may be placed on it.'),
    defineColumn('Roles', 'The roles that its labels give it.'),
    AGE,
    defineColumn('Version', 'The version of its node agent.'),
    defineColumn('Internal-IP', 'Its first address inside the cluster.', WIDE),
    defineColumn('External-IP', 'Its first address outside the cluster.', WIDE),
    defineColumn('OS-Image', 'Its operating system.', WIDE),
    defineColumn('Kernel-Version', 'The version of its kernel.', WIDE),
    defineColumn('Container-Runtime', 'Its container runtime and the version of that.', WIDE),
  ],
  Pod: [
    NAME,
    defineColumn('Ready', 'How many of its containers are ready.'),
    defineColumn('Status', 'Where the pod is in its life, or what it is waiting for.'),
    defineColumn('Restarts', 'How often its containers were restarted, and when last.'),
    AGE,
    defineColumn('IP', 'Its first address.', WIDE),
    defineColumn('Node', 'The node that it runs on.', WIDE),
    defineColumn('Nominated Node', 'The node that room is being made on for it.', WIDE),
    defineColumn('Readiness Gates', 'How many of its readiness gates are met.', WIDE),
  ],
  Secret: [NAME, defineColumn('Type', 'What the data is used for.'), defineColumn('Data', 'The number of keys.'), AGE],
  Service: [
    NAME,
    defineColumn('Type', 'How the service is exposed.'),
    defineColumn('Cluster-IP', 'Its first address inside the cluster.'),
    defineColumn('External-IP', 'The addresses or names under which it is reached from outside.'),
    defineColumn('Port(s)', 'Its ports, with the node ports that lead to them.'),
    AGE,
    defineColumn('Selector', 'The labels of the pods that serve it.', WIDE),
  ],
  ServiceAccount: [NAME, defineColumn('Secrets', 'The number of secrets that it lists.'), AGE],
};
