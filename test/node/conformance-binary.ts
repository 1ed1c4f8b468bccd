/**
 * Runs upstream's compiled conformance test (`go test -c` of k8s.io/kubernetes/test/e2e, release 1.31): lists its tests,
 * and runs one test in a process of its own. Results are read from Ginkgo's JSON report.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { tryParseObject } from '../../shared/client/rest/json-body';
import { systemClock as clock } from '../../shared/runtime/clock';
import { arrayAt, isObject, objectAt, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';

export interface TestResult {
  readonly state: 'passed' | 'failed';
  readonly seconds: number;
  /** Empty when the test has passed. */
  readonly failure: string;
}

/** How the binary is run: directly, or by a program that enters the network of a node. */
export type CommandPrefix = readonly string[];

export interface TestTarget {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly prefix: CommandPrefix;
  /** Path of kubectl. */
  readonly kubectl: string;
}

/** The result of one test in Ginkgo's report. */
interface SpecReport {
  readonly name: string;
  /** Ginkgo's word, such as `passed`, `failed` or `skipped`. */
  readonly state: string;
  readonly failure: string;
}

/** Part of the names of conformance tests. */
const TAG = '[Conformance]';
/** Characters of the binary's output that a failure without a report shows. */
const MAX_TAIL = 2_000;
/** Characters of a failure in the report. */
const MAX_FAILURE = 600;

export class ConformanceBinary {
  /** `folder`: for reports and for what the tests write. */
  constructor(
    private readonly file: string,
    private readonly folder: string,
  ) {}

  /** The names of all conformance tests, sorted. Rejects when the binary cannot be run. */
  async listTests(): Promise<readonly string[]> {
    const report = path.join(this.folder, 'list.json');
    const output = await this.run(
      [],
      ['--ginkgo.dry-run', `--ginkgo.focus=${escapePattern(TAG)}`, `--ginkgo.json-report=${report}`],
      60_000,
    );
    const specs = readReport(report).filter(({ state }) => state !== 'skipped');
    if (specs.length === 0) throw new Error(`${this.file} lists no tests: ${output}`);
    return specs.map(({ name }) => name).sort();
  }

  /** Kills the test after `limitMs`. A test that is killed or cannot be run has failed. */
  async runTest(name: string, { kubeconfig, prefix, kubectl }: TestTarget, limitMs: number): Promise<TestResult> {
    const report = path.join(this.folder, `${name.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 150)}.json`);
    const startedAt = clock.monotonic();
    const output = await this.run(
      prefix,
      [
        `--kubeconfig=${kubeconfig}`,
        `--kubectl-path=${kubectl}`,
        `--ginkgo.focus=${escapePattern(name)}$`,
        `--ginkgo.json-report=${report}`,
        '--ginkgo.no-color',
        '--allowed-not-ready-nodes=-1',
      ],
      limitMs,
    );
    const elapsedMs = clock.monotonic() - startedAt;
    const spec = readReport(report).find((candidate) => candidate.name === name);
    const seconds = Math.round(elapsedMs / 100) / 10;
    if (spec?.state === 'passed') return { state: 'passed', seconds, failure: '' };
    const reason = elapsedMs >= limitMs ? `not finished within ${limitMs / 1000} s; ` : '';
    return { state: 'failed', seconds, failure: `${reason}${spec?.failure ?? output}`.slice(0, MAX_FAILURE) };
  }

  /** Resolves with the end of the output. */
  private run(prefix: CommandPrefix, args: readonly string[], limitMs: number): Promise<string> {
    const [command = '', ...words] = [...prefix, this.file, ...args];
    return new Promise((resolve) => {
      const child = spawn(command, words, { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs, killSignal: 'SIGKILL' });
      let tail = '';
      const collect = (chunk: Buffer): void => void (tail = (tail + chunk.toString()).slice(-MAX_TAIL));
      child.stdout.on('data', collect);
      child.stderr.on('data', collect);
      child.once('error', (error) => (tail += error.message));
      child.once('close', () => resolve(tail));
    });
  }
}

/** A regular expression that matches the text. */
const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** The tests in a report; empty when there is none. */
function readReport(file: string): readonly SpecReport[] {
  if (!existsSync(file)) return [];
  const suites = tryParseObject(`{"suites":${readFileSync(file, 'utf8')}}`);
  const specs = objectsAt(suites, 'suites').flatMap((suite) => objectsAt(suite, 'SpecReports'));
  return specs
    .filter((spec) => stringAt(spec, 'LeafNodeType') === 'It')
    .map((spec) => ({
      name: specName(spec),
      state: stringAt(spec, 'State') ?? '',
      failure: stringAt(objectAt(spec, 'Failure'), 'Message') ?? '',
    }));
}

const objectsAt = (value: JsonObject | undefined, member: string): readonly JsonObject[] => (arrayAt(value, member) ?? []).filter(isObject);

/** The name as Ginkgo prints it: the texts of the containers and of the test. */
const specName = (spec: JsonObject): string =>
  [...stringsAt(spec, 'ContainerHierarchyTexts'), stringAt(spec, 'LeafNodeText') ?? ''].join(' ');
