/**
 * Runs the checks of the health endpoints `/healthz`, `/livez` and `/readyz` and formats their responses as upstream
 * does. Leaves HTTP to its callers.
 */
import type { Clock } from './clock';

export const HEALTH_ENDPOINTS = ['healthz', 'livez', 'readyz'] as const;
export type HealthEndpoint = (typeof HEALTH_ENDPOINTS)[number];

/** A check of the health endpoints. Called for each request; expensive checks share their results. */
export interface HealthCheck {
  readonly name: string;
  /** Absent for a check of all three endpoints. */
  readonly onlyOn?: HealthEndpoint;
  /** Fails until a step of the startup is complete; `/livez` skips it during the grace period. */
  readonly isStartup?: true;
  /** A failure is reported, but does not fail the endpoint: the server continues with its previous state. */
  readonly isAdvisory?: true;
  /** For checks that upstream does not have: a healthy server lists the same checks as upstream. */
  readonly isListedOnFailureOnly?: true;
  /** `undefined` when healthy, otherwise the reason, which only the response of a single check contains. */
  check(): string | undefined | Promise<string | undefined>;
}

/** Requests a single check, or all checks of an endpoint. */
export interface HealthRequest {
  readonly endpoint: HealthEndpoint;
  /** The name of a single check; `undefined` for all. */
  readonly check: string | undefined;
  /** For all checks: list them in the response even when they succeed. */
  readonly verbose: boolean;
  /** For all checks: names of checks that are not run. */
  readonly exclude: readonly string[];
}

/** A response in plain text. */
export interface HealthResponse {
  readonly status: 200 | 404 | 500;
  readonly text: string;
  /** Whether the response has `X-Content-Type-Options: nosniff`; as upstream, successful single checks do not. */
  readonly noSniff: boolean;
}

const NOT_FOUND: HealthResponse = { status: 404, text: '404 page not found\n', noSniff: true };

/** The result of one run of a check. */
export interface HealthCheckResult {
  readonly endpoint: HealthEndpoint;
  readonly check: string;
  /** `undefined` when healthy. */
  readonly reason: string | undefined;
}

/** The grace period of startup checks, and an observer of the results. */
export interface HealthOptions {
  readonly clock: Clock;
  /** For this time after the creation of {@link HealthChecks}, `/livez` skips startup checks. */
  readonly livezGraceMs: number;
  /** Called after each run of a check. */
  readonly onResult?: (result: HealthCheckResult) => void;
}

/** Responds to `/livez`, `/readyz`, `/healthz` and their sub-paths. */
export class HealthChecks {
  private readonly startedAt: number;

  constructor(
    private readonly checks: readonly HealthCheck[],
    private readonly options: HealthOptions,
  ) {
    this.startedAt = options.clock.monotonic();
  }

  /** Runs the requested checks one after another. */
  async respond(request: HealthRequest): Promise<HealthResponse> {
    const { endpoint, check } = request;
    const checks = this.checks.filter(({ onlyOn }) => onlyOn === undefined || onlyOn === endpoint);
    if (check === undefined) return this.runAll(endpoint, checks, request);
    const singleCheck = checks.find(({ name }) => name === check);
    if (singleCheck === undefined) return NOT_FOUND;
    const reason = await this.run(endpoint, singleCheck);
    return reason === undefined
      ? { status: 200, text: 'ok', noSniff: false }
      : { status: 500, text: `internal server error: ${reason}\n`, noSniff: true };
  }

  private async runAll(
    endpoint: HealthEndpoint,
    checks: readonly HealthCheck[],
    { verbose, exclude }: HealthRequest,
  ): Promise<HealthResponse> {
    const excluded = new Set(exclude);
    const lines: string[] = [];
    let isHealthy = true;
    for (const check of checks) {
      if (excluded.delete(check.name)) {
        lines.push(`[+]${check.name} excluded: ok`);
        continue;
      }
      const reason = await this.run(endpoint, check);
      if (reason === undefined) {
        if (check.isListedOnFailureOnly !== true) lines.push(`[+]${check.name} ok`);
      } else if (check.isAdvisory === true) {
        lines.push(`[!]${check.name} failed, and is no reason to stop: reason withheld`);
      } else {
        isHealthy = false;
        lines.push(`[-]${check.name} failed: reason withheld`);
      }
    }
    if (isHealthy && !verbose) return { status: 200, text: 'ok', noSniff: true };
    if (excluded.size > 0) {
      const names = [...excluded].sort().map((name) => JSON.stringify(name));
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(',')}`);
    }
    // Upstream prints `healthz` for a success on each of the three endpoints.
    lines.push(isHealthy ? 'healthz check passed' : `${endpoint} check failed`);
    return { status: isHealthy ? 200 : 500, text: `${lines.join('\n')}\n`, noSniff: true };
  }

  private async run(endpoint: HealthEndpoint, check: HealthCheck): Promise<string | undefined> {
    const { clock, livezGraceMs, onResult } = this.options;
    if (endpoint === 'livez' && check.isStartup === true && clock.monotonic() - this.startedAt < livezGraceMs) return undefined;
    const reason = await check.check();
    onResult?.({ endpoint, check: check.name, reason });
    return reason;
  }
}
