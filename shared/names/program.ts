/**
 * The User-Agent headers and field managers of the programs of this product, in both dialects. The first part of a
 * User-Agent header is the field manager of the writes. Tools match on upstream's names in `managedFields` and audit
 * logs.
 */
import { RELEASE, type Dialect } from './dialect';

/** The names of the programs in User-Agent headers. */
export interface ProgramNames {
  /** Also the field manager of writes that the API server makes itself. */
  readonly apiserver: string;
  readonly controllers: string;
  readonly simulation: string;
}

export const PROGRAM_NAMES: Readonly<Record<Dialect, ProgramNames>> = {
  platform: { apiserver: 'apiserver', controllers: 'controllers', simulation: 'simulation' },
  kubernetes: { apiserver: 'kube-apiserver', controllers: 'kube-controller-manager', simulation: 'simulation' },
};

/** Field managers that are not programs. They have upstream's names in both dialects. */
export const FIELD_MANAGERS = {
  aggregatedRoles: 'clusterrole-aggregation-controller',
  policyStatus: 'validatingadmissionpolicy-status',
  /** The specs of FlowSchemas and PriorityLevelConfigurations. */
  flowControlSpecs: 'api-priority-and-fairness-config-producer-v1',
  /** The statuses of FlowSchemas. */
  flowControlStatuses: 'api-priority-and-fairness-config-consumer-v1',
} as const;

/** Operating system and processor architecture, as Node names them. */
export interface UserAgentPlatform {
  readonly platform: string;
  readonly arch: string;
}

const OPERATING_SYSTEMS: ReadonlyMap<string, string> = new Map([['win32', 'windows']]);
const PROCESSORS: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['ia32', '386'],
]);

/** Stands for the commit that a program was built from, which builds do not record. */
const COMMIT = 'unknown';

/**
 * The User-Agent header `PROGRAM/VERSION (OS/ARCH) PRODUCT/COMMIT/PART`. `part` is the name of a controller, of its
 * service account, or of a task that controllers share.
 */
export function userAgent(dialect: Dialect, program: keyof ProgramNames, { platform, arch }: UserAgentPlatform, part: string): string {
  const system = `${OPERATING_SYSTEMS.get(platform) ?? platform}/${PROCESSORS.get(arch) ?? arch}`;
  return `${PROGRAM_NAMES[dialect][program]}/${RELEASE.gitVersion} (${system}) ${dialect}/${COMMIT}/${part}`;
}
