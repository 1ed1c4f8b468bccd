/** Ports of a pod that get into one another's way, or say something without effect. */
import { type JsonObject } from '../../../../shared/values/json';
import { listed, numberAt } from '../../rules/field-rules';
import { textAt } from '../../rules/checks';

interface Port {
  readonly place: string;
  readonly host: number;
  readonly address: string;
}

/** Init containers first, as ports are compared with those before them. */
export function portWarnings(spec: JsonObject, place: string): readonly string[] {
  const warnings: string[] = [];
  const before = new Map<string, Port[]>();
  for (const list of ['initContainers', 'containers']) {
    listed(spec, list).forEach((container, index) => {
      const ports = listed(container, 'ports');
      const field = `${place}.${list}[${index}].ports`;
      ports.forEach((port, at) => {
        if (textAt(port, 'hostIP') !== '' && numberAt(port, 'hostPort') === 0) {
          warnings.push(`${field}[${at}]: hostIP set without hostPort: ${shown(port)}`);
        }
      });
      ports.forEach((port, at) => compare(port, `${field}[${at}]`, before, warnings));
    });
  }
  return warnings;
}

function compare(port: JsonObject, place: string, before: Map<string, Port[]>, warnings: string[]): void {
  const key = `${textAt(port, 'protocol')}/${numberAt(port, 'containerPort')}`;
  const one = { place, host: numberAt(port, 'hostPort'), address: textAt(port, 'hostIP') };
  const others = before.get(key);
  if (others === undefined) {
    before.set(key, [one]);
    return;
  }
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

const shown = (port: JsonObject): string =>
  `{Name:${textAt(port, 'name')} HostPort:${numberAt(port, 'hostPort')} ContainerPort:${numberAt(port, 'containerPort')} ` +
  `Protocol:${textAt(port, 'protocol')} HostIP:${textAt(port, 'hostIP')}}`;
