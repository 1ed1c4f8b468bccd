/**
 * The columns of every kind that has its own, in the order in which its cells come. Names, types, formats and priorities are what clients
 * print; the descriptions are ours. The cells are made in cells.ts.
 */
import { AGE, column, CREATED_AT, NAME, WIDE } from './table/column';
import { GOVERNANCE_COLUMNS } from './columns/governance';
import { MACHINE_COLUMNS } from './columns/machines';
import { NETWORKING_COLUMNS } from './columns/networking';
import { VOLUME_COLUMNS } from './columns/volumes';
import { WORKLOAD_COLUMNS } from './columns/workloads';
import type { ColumnDefinition } from './table/printer';

/** For kinds without columns of their own. */
export const DEFAULT_COLUMNS: readonly ColumnDefinition[] = [NAME, CREATED_AT];

/** By kind. Kinds of different groups that share a name share their columns. */
export const COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  ...GOVERNANCE_COLUMNS,
  ...MACHINE_COLUMNS,
  ...NETWORKING_COLUMNS,
  ...VOLUME_COLUMNS,
  ...WORKLOAD_COLUMNS,
  ComponentStatus: [
    NAME,
    column('Status', 'Whether it is healthy.'),
    column('Message', 'What it says of itself.'),
    column('Error', 'Why it could not be asked.'),
  ],
  ConfigMap: [NAME, column('Data', 'The number of keys, text and binary together.'), AGE],
  Event: [
    column('Last Seen', 'The time since it was observed last.'),
    column('Type', 'Normal or Warning; new types may appear.'),
    column('Reason', 'A short word for why it happened, meant for programs.'),
    column('Object', 'What it is about, as kind/name.'),
    column('Subobject', 'The part of the object that it is about.', WIDE),
    column('Source', 'The component that reported it, and where that runs.', WIDE),
    column('Message', 'What happened, meant for people.'),
    column('First Seen', 'The time since it was observed first.', WIDE),
    column('Count', 'How often it has been observed.', WIDE),
    column('Name', NAME.description, { format: 'name', priority: 1 }),
  ],
  Lease: [NAME, column('Holder', 'Who holds the lease at present.'), AGE],
  Namespace: [NAME, column('Status', 'Whether the namespace is active or being removed.'), AGE],
  Node: [
    NAME,
    column('Status', 'Whether the node is ready, and whether new pods may be placed on it.'),
    column('Roles', 'The roles that its labels give it.'),
    AGE,
    column('Version', 'The version of its node agent.'),
    column('Internal-IP', 'Its first address inside the cluster.', WIDE),
    column('External-IP', 'Its first address outside the cluster.', WIDE),
    column('OS-Image', 'Its operating system.', WIDE),
    column('Kernel-Version', 'The version of its kernel.', WIDE),
    column('Container-Runtime', 'Its container runtime and the version of that.', WIDE),
  ],
  Pod: [
    NAME,
    column('Ready', 'How many of its containers are ready.'),
    column('Status', 'Where the pod is in its life, or what it is waiting for.'),
    column('Restarts', 'How often its containers were restarted, and when last.'),
    AGE,
    column('IP', 'Its first address.', WIDE),
    column('Node', 'The node that it runs on.', WIDE),
    column('Nominated Node', 'The node that room is being made on for it.', WIDE),
    column('Readiness Gates', 'How many of its readiness gates are met.', WIDE),
  ],
  Secret: [NAME, column('Type', 'What the data is used for.'), column('Data', 'The number of keys.'), AGE],
  Service: [
    NAME,
    column('Type', 'How the service is exposed.'),
    column('Cluster-IP', 'Its first address inside the cluster.'),
    column('External-IP', 'The addresses or names under which it is reached from outside.'),
    column('Port(s)', 'Its ports, with the node ports that lead to them.'),
    AGE,
    column('Selector', 'The labels of the pods that serve it.', WIDE),
  ],
  ServiceAccount: [NAME, column('Secrets', 'The number of secrets that it lists.'), AGE],
};
