/** What owners of pods ask for, as all kinds of them write it. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { objectAt, own, type JsonObject } from '../../shared/values/json';

export function numberAt(value: JsonObject | undefined, member: string): number | undefined {
  const found = value === undefined ? undefined : own(value, member);
  return typeof found === 'number' ? found : undefined;
}

export function replicasOf({ body }: ApiObject): number {
  return numberAt(objectAt(body, 'spec'), 'replicas') ?? 1;
}

export function minReadyOf({ body }: ApiObject): number {
  return numberAt(objectAt(body, 'spec'), 'minReadySeconds') ?? 0;
}

export const templateOf = ({ body }: ApiObject): JsonObject => objectAt(objectAt(body, 'spec'), 'template') ?? {};

export function generationOf({ body }: ApiObject): number {
  return numberAt(objectAt(body, 'metadata'), 'generation') ?? 0;
}
