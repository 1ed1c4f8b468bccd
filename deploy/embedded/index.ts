/**
 * The package's entrance. What it starts is loaded by Node itself and once for all: the module system of a test runner would transform thousands of lines, and once
 * more for each file of tests.
 */
import type { ControlPlane, ControlPlaneOptions } from './api';

export type { ControlPlane, ControlPlaneOptions } from './api';

/** A control plane in this process, ready to be asked. Any number of them may run side by side. Rejects with an error that says what is wrong. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const loaded: unknown = process.getBuiltinModule('module').createRequire(__filename)('./control-plane.js');
  if (!isEntrance(loaded)) throw new Error('the package is not whole: its control plane cannot be loaded');
  return loaded.openControlPlane(options);
}

const isEntrance = (value: unknown): value is typeof import('./control-plane') =>
  typeof value === 'object' && value !== null && 'openControlPlane' in value;
