/**
 * How the programs of this product name themselves to API servers, in both dialects: in the User-Agent header, whose first part is the manager of the fields that
 * they write. Tools match on upstream's names, in `managedFields` and in audit logs.
 */
import { RELEASE, type Dialect } from './dialect';

export interface ProgramNames {
  /** The field manager of the API server's own writes. */
  readonly apiserver: string;
  readonly controllers: string;
}

export const PROGRAM_NAMES: Readonly<Record<Dialect, ProgramNames>> = {
  platform: { apiserver: 'apiserver', controllers: 'controllers' },
  kubernetes: { apiserver: 'kube-apiserver', controllers: 'kube-controller-manager' },
};

/** Field managers that are no programs; their names do not depend on the dialect. */
export const FIELD_MANAGERS = {
  aggregatedRoles: 'clusterrole-aggregation-controller',
  policyStatus: 'validatingadmissionpolicy-status',
  /** The specs of FlowSchemas and PriorityLevelConfigurations. */
  flowControlSpecs: 'api-priority-and-fairness-config-producer-v1',
  /** The statuses of FlowSchemas. */
  flowControlStatuses: 'api-priority-and-fairness-config-consumer-v1',
} as const;

/** The platform's operating system and processor, as Node names them. */
export interface UserAgentPlatform {
  readonly platform: string;
  readonly arch: string;
}

const OPERATING_SYSTEMS: ReadonlyMap<string, string> = new Map([['win32', 'windows']]);
const PROCESSORS: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
]);

/** Stands for the commit that a program was built from: no build records it. */
const COMMIT = 'unknown';

/** `PROGRAM/VERSION (OS/ARCH) PRODUCT/COMMIT/PART`; the part of the program is a controller, its service account, or a task that controllers share. */
export function userAgent(dialect: Dialect, program: keyof ProgramNames, { platform, arch }: UserAgentPlatform, part: string): string {
  const system = `${OPERATING_SYSTEMS.get(platform) ?? platform}/${PROCESSORS.get(arch) ?? arch}`;
  return `${PROGRAM_NAMES[dialect][program]}/${RELEASE.gitVersion} (${system}) ${dialect}/${COMMIT}/${part}`;
}
