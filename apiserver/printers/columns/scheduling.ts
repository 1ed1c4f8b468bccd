/** Columns of kinds for scheduling and running pods (cells: ../cells/scheduling.ts). */
import { AGE, defineColumn, INTEGER, NAME, BOOLEAN } from '../table/column';
import type { ColumnDefinition } from '../table/convertor';

export const SCHEDULING_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  DeviceClass: [NAME, AGE],
  LeaseCandidate: [
    NAME,
    defineColumn('LeaseName', 'The lease that it stands for.'),
    defineColumn('BinaryVersion', 'The version of the program.'),
    defineColumn('EmulationVersion', 'The version that the program behaves as.'),
    AGE,
  ],
  PodSchedulingContext: [NAME, defineColumn('SelectedNode', 'The node for which devices are wanted.'), AGE],
  ResourceClaim: [NAME, defineColumn('State', 'Whether it is allocated, reserved or going.'), AGE],
  ResourceClaimTemplate: [NAME, AGE],
  ResourceSlice: [
    NAME,
    defineColumn('Node', 'The node that has the devices.'),
    defineColumn('Driver', 'The driver of the devices.'),
    defineColumn('Pool', 'The pool that the devices belong to.'),
    AGE,
  ],
  StorageVersion: [
    NAME,
    defineColumn('CommonEncodingVersion', 'The version that all servers store objects in, if they agree.'),
    defineColumn('StorageVersions', 'The version that each server stores objects in.'),
    AGE,
  ],
  VolumeAttributesClass: [NAME, defineColumn('DriverName', 'The driver that it is for.'), AGE],
  PriorityClass: [
    NAME,
    defineColumn('Value', 'The priority of its pods.', INTEGER),
    defineColumn('Global-Default', 'Whether pods without a class belong to it.', BOOLEAN),
    AGE,
  ],
  ResourceQuota: [
    NAME,
    AGE,
    defineColumn('Request', 'What is used and allowed of everything but limits.'),
    defineColumn('Limit', 'What is used and allowed of limits.'),
  ],
  RuntimeClass: [NAME, defineColumn('Handler', 'The name under which nodes know it.'), AGE],
};
