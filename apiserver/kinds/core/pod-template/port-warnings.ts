/** Ports of a pod that get into one another's way, or say something without effect. */
import type { CoreV1ContainerPort, CoreV1PodSpec } from '../../../../shared/api/types/generated/members';

/** Pairs of ports that are compared: an answer has room for a hundred warnings, and every port might be compared with every other. */
const MOST_PAIRS = 500_000;
const MOST_WARNINGS = 1000;

/** What has been seen of a pod. */
interface Seen {
  readonly ports: Map<string, Port[]>;
  pairs: number;
}

interface Port {
  readonly place: string;
  readonly host: number;
  readonly address: string;
}

/** Init containers first, as ports are compared with those before them. */
export function portWarnings(spec: CoreV1PodSpec, place: string): readonly string[] {
  const warnings: string[] = [];
  const before: Seen = { ports: new Map<string, Port[]>(), pairs: 0 };
  for (const list of ['initContainers', 'containers'] as const) {
    spec[list]?.forEach((container, index) => {
      const ports = container.ports ?? [];
      const field = `${place}.${list}[${index}].ports`;
      ports.forEach((port, at) => {
        if ((port.hostIP ?? '') !== '' && (port.hostPort ?? 0) === 0) {
          warnings.push(`${field}[${at}]: hostIP set without hostPort: ${shown(port)}`);
        }
      });
      ports.forEach((port, at) => compare(port, `${field}[${at}]`, before, warnings));
    });
  }
  return warnings;
}

function compare(port: CoreV1ContainerPort, place: string, before: Seen, warnings: string[]): void {
  if (before.pairs >= MOST_PAIRS || warnings.length >= MOST_WARNINGS) return;
  const key = `${port.protocol ?? ''}/${port.containerPort ?? 0}`;
  const one = { place, host: port.hostPort ?? 0, address: port.hostIP ?? '' };
  const others = before.ports.get(key);
  if (others === undefined) {
    before.ports.set(key, [one]);
    return;
  }
  before.pairs += others.length;
  for (const other of others) {
    const conflict = conflictOf(one, other);
    if (conflict !== undefined) warnings.push(`${place}: ${conflict} port definition with ${other.place}`);
  }
  others.push(one);
}

function conflictOf(one: Port, other: Port): string | undefined {
  if (one.host === other.host && one.address === other.address) return 'duplicate';
  if (one.host === 0 || other.host === 0) return 'overlapping';
  const isForAll = one.address === '' || other.address === '';
  return one.host === other.host && isForAll ? 'dangerously ambiguous' : undefined;
}

const shown = (port: CoreV1ContainerPort): string =>
  `{Name:${port.name ?? ''} HostPort:${port.hostPort ?? 0} ContainerPort:${port.containerPort ?? 0} ` +
  `Protocol:${port.protocol ?? ''} HostIP:${port.hostIP ?? ''}}`;
