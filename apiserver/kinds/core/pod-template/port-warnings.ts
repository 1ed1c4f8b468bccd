/**
 * Warns about container ports that conflict or have no effect. Rejects nothing; the number of comparisons and of
 * warnings is bounded.
 */
import type { CoreV1ContainerPort, CoreV1PodSpec } from '../../../../shared/api/types/generated/members';

/** Limits the comparisons, which are quadratic in the number of ports. */
const MAX_COMPARED_PAIRS = 500_000;
/** More than a response has room for: some hundred. */
const MAX_WARNINGS = 1000;

/** Ports seen so far, by protocol and port number, and the number of compared pairs. */
interface SeenPorts {
  readonly ports: Map<string, SeenPort[]>;
  pairs: number;
}

interface SeenPort {
  readonly fieldPath: string;
  readonly hostPort: number;
  readonly hostIp: string;
}

/** Init containers come first; each port is compared with the earlier ones. */
export function portWarnings(spec: CoreV1PodSpec, fieldPath: string): readonly string[] {
  const warnings: string[] = [];
  const seen: SeenPorts = { ports: new Map<string, SeenPort[]>(), pairs: 0 };
  for (const list of ['initContainers', 'containers'] as const) {
    spec[list]?.forEach((container, index) => {
      const ports = container.ports ?? [];
      const field = `${fieldPath}.${list}[${index}].ports`;
      ports.forEach((port, portIndex) => {
        if ((port.hostIP ?? '') !== '' && (port.hostPort ?? 0) === 0) {
          warnings.push(`${field}[${portIndex}]: hostIP set without hostPort: ${formatPort(port)}`);
        }
      });
      ports.forEach((port, portIndex) => warnOfPortConflicts(port, `${field}[${portIndex}]`, seen, warnings));
    });
  }
  return warnings;
}

function warnOfPortConflicts(port: CoreV1ContainerPort, fieldPath: string, seen: SeenPorts, warnings: string[]): void {
  if (seen.pairs >= MAX_COMPARED_PAIRS || warnings.length >= MAX_WARNINGS) return;
  const key = `${port.protocol ?? ''}/${port.containerPort ?? 0}`;
  const current = { fieldPath, hostPort: port.hostPort ?? 0, hostIp: port.hostIP ?? '' };
  const earlierPorts = seen.ports.get(key);
  if (earlierPorts === undefined) {
    seen.ports.set(key, [current]);
    return;
  }
  seen.pairs += earlierPorts.length;
  for (const earlier of earlierPorts) {
    const conflict = conflictOf(current, earlier);
    if (conflict !== undefined) warnings.push(`${fieldPath}: ${conflict} port definition with ${earlier.fieldPath}`);
  }
  earlierPorts.push(current);
}

/** How two ports with the same protocol and number conflict, in upstream's words; `undefined` when they do not. */
function conflictOf(a: SeenPort, b: SeenPort): string | undefined {
  if (a.hostPort === b.hostPort && a.hostIp === b.hostIp) return 'duplicate';
  if (a.hostPort === 0 || b.hostPort === 0) return 'overlapping';
  const isOnAnyAddress = a.hostIp === '' || b.hostIp === '';
  return a.hostPort === b.hostPort && isOnAnyAddress ? 'dangerously ambiguous' : undefined;
}

const formatPort = (port: CoreV1ContainerPort): string =>
  `{Name:${port.name ?? ''} HostPort:${port.hostPort ?? 0} ContainerPort:${port.containerPort ?? 0} ` +
  `Protocol:${port.protocol ?? ''} HostIP:${port.hostIP ?? ''}}`;
