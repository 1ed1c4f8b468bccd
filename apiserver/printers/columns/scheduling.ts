/**
 * Columns of kinds for scheduling and running pods, and for the coordination of servers (cells:
 * ../cells/scheduling.ts).
 */
import { AGE, defineColumn, INTEGER, NAME, BOOLEAN } from '../table/column';
import type { ColumnDefinition } from '../table/convertor';

/** By kind. */
export const SCHEDULING_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  DeviceClass: [NAME, AGE],
  Lease: [NAME, defineColumn('Holder', 'The current holder of the lease.'), AGE],
  LeaseCandidate: [
    NAME,
    defineColumn('LeaseName', 'The Lease for which the candidate stands.'),
    defineColumn('BinaryVersion', 'The binary version of the candidate.'),
    defineColumn('EmulationVersion', 'The emulated version of the candidate.'),
    AGE,
  ],
  PodSchedulingContext: [NAME, defineColumn('SelectedNode', 'The node on which devices are requested.'), AGE],
  ResourceClaim: [NAME, defineColumn('State', 'Whether the claim is allocated, reserved or being deleted.'), AGE],
  ResourceClaimTemplate: [NAME, AGE],
  ResourceSlice: [
    NAME,
    defineColumn('Node', 'The node that has the devices.'),
    defineColumn('Driver', 'The driver of the devices.'),
    defineColumn('Pool', 'The pool of the devices.'),
    AGE,
  ],
  StorageVersion: [
    NAME,
    defineColumn('CommonEncodingVersion', 'The storage version that all servers agree on.'),
    defineColumn('StorageVersions', 'The storage version of each server.'),
    AGE,
  ],
  PriorityClass: [
    NAME,
    defineColumn('Value', 'The priority of pods of this class.', INTEGER),
    defineColumn('Global-Default', 'Whether pods without a class get this one.', BOOLEAN),
    AGE,
  ],
  ResourceQuota: [
    NAME,
    AGE,
    defineColumn('Request', 'Used and allowed amounts of requests and object counts.'),
    defineColumn('Limit', 'Used and allowed amounts of limits.'),
  ],
  RuntimeClass: [NAME, defineColumn('Handler', 'The handler name in the container runtime.'), AGE],
};
