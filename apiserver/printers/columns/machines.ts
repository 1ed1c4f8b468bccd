/** Columns of how pods are run and placed. The cells are in ../cells/. */
import { AGE, column, COUNT, NAME, YES_OR_NO } from '../table/column';
import type { ColumnDefinition } from '../table/printer';

export const MACHINE_COLUMNS: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  DeviceClass: [NAME, AGE],
  LeaseCandidate: [
    NAME,
    column('LeaseName', 'The lease that it stands for.'),
    column('BinaryVersion', 'The version of the program.'),
    column('EmulationVersion', 'The version that the program behaves as.'),
    AGE,
  ],
  PodSchedulingContext: [NAME, column('SelectedNode', 'The node for which devices are wanted.'), AGE],
  ResourceClaim: [NAME, column('State', 'Whether it is allocated, reserved or going.'), AGE],
  ResourceClaimTemplate: [NAME, AGE],
  ResourceSlice: [
    NAME,
    column('Node', 'The node that has the devices.'),
    column('Driver', 'The driver of the devices.'),
    column('Pool', 'The pool that the devices belong to.'),
    AGE,
  ],
  StorageVersion: [
    NAME,
    column('CommonEncodingVersion', 'The version that all servers store objects in, if they agree.'),
    column('StorageVersions', 'The version that each server stores objects in.'),
    AGE,
  ],
  VolumeAttributesClass: [NAME, column('DriverName', 'The driver that it is for.'), AGE],
  PriorityClass: [
    NAME,
    column('Value', 'The priority of its pods.', COUNT),
    column('Global-Default', 'Whether pods without a class belong to it.', YES_OR_NO),
    AGE,
  ],
  ResourceQuota: [
    NAME,
    AGE,
    column('Request', 'What is used and allowed of everything but limits.'),
    column('Limit', 'What is used and allowed of limits.'),
  ],
  RuntimeClass: [NAME, column('Handler', 'The name under which nodes know it.'), AGE],
};
