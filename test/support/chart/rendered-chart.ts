/** The Helm chart as helm renders it, with the value sets of deploy/chart/ci. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { runClient, type ClientResult } from '../external/kubectl';
import { repository } from '../repository';

export const CHART = path.join(repository, 'deploy/chart');
const VALUE_FILES = path.join(CHART, 'ci');

/** The name of each value set and its arguments of helm; `defaults` has none. */
export const VALUE_SETS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['defaults', []],
  ...readdirSync(VALUE_FILES).map((file) => [file.replace('-values.yaml', ''), ['--values', path.join(VALUE_FILES, file)]] as const),
];

/** The arguments of a value set; none for an unknown name. */
export const valuesNamed = (name: string): readonly string[] => VALUE_SETS.find(([set]) => set === name)?.[1] ?? [];

/** `helm template` without a server; the result may be a failure. */
export const template = (helm: string, namespace: string, args: readonly string[]): Promise<ClientResult> =>
  runClient(helm, '/nonexistent/kubeconfig', ['template', 'platform', CHART, '--namespace', namespace, ...args]);

/** The manifests of a release named `platform`. Throws what helm prints when it fails. */
export async function render(helm: string, namespace: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await template(helm, namespace, args);
  if (code !== 0) throw new Error(`helm template ended with ${code}:\n${stderr}`);
  return stdout;
}

export interface RenderedContainer {
  /** `Deployment/platform-control-plane-apiserver`. */
  readonly workload: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  /** The spec of the pod that contains the container. */
  readonly podSpec: JsonObject;
  readonly container: JsonObject;
}

const textsAt = (object: JsonObject, member: string): readonly string[] =>
  (arrayAt(object, member) ?? []).filter((item) => typeof item === 'string');

/** The containers of all pods and pod templates. */
export const containersIn = (objects: readonly JsonObject[]): readonly RenderedContainer[] =>
  objects.flatMap((object) => {
    const podSpec = podSpecOf(object);
    if (podSpec === undefined) return [];
    const workload = `${stringAt(object, 'kind')}/${stringAt(objectAt(object, 'metadata'), 'name')}`;
    return ['initContainers', 'containers'].flatMap((member) =>
      (arrayAt(podSpec, member) ?? [])
        .filter(isObject)
        .map((container) => ({ workload, command: textsAt(container, 'command'), args: textsAt(container, 'args'), podSpec, container })),
    );
  });

function podSpecOf(object: JsonObject): JsonObject | undefined {
  const spec = objectAt(object, 'spec');
  if (stringAt(object, 'kind') === 'Pod') return spec;
  const template = objectAt(objectAt(objectAt(spec, 'jobTemplate'), 'spec') ?? spec, 'template');
  return objectAt(template, 'spec');
}
