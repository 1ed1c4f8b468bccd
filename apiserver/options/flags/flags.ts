/**
 * The API server's flags, under upstream's names where it has them: type, default and help of each. Flags that are not
 * listed are usage errors. Combinations of flags are validated by refuse-contradictions.ts.
 */
import { featureGatesFlag } from '../../../shared/cli/feature-gates';
import {
  boolFlag,
  choiceFlag,
  decimalFlag,
  durationFlag,
  intFlag,
  listFlag,
  repeatedFlag,
  stringFlag,
  versionFlag,
  type FlagValues,
} from '../../../shared/cli/flags';
import { logLevelFlag, verbosityFlag } from '../../../shared/runtime/logger';
import { ADMISSION_PLUGINS, type PluginRegistration } from '../../admission/plugins/admission-plugins';
import { authorizationModesFlag } from './authorization-modes';
import { cipherSuitesFlag } from './cipher-suites';
import { nodePortRangeFlag, serviceRangesFlag } from './service-ranges';
import { AUDIT_FLAGS } from './audit-flags';
import { OIDC_FLAGS } from './oidc-flags';
import { UPSTREAM_FLAGS } from './upstream-flags';
import { runtimeConfigFlag } from './runtime-config';

const SERVING = 'Serving';
const STORAGE = 'Storage';
const ACCESS = 'Access';
const NODES = 'Nodes';
const SERVICES = 'Services';
const GENERAL = 'General';
/** Durations are in milliseconds. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** All flags of the server, by name. */
export const FLAGS = {
  'bind-address': stringFlag({ section: SERVING, help: 'Address on which HTTPS is served.', default: '0.0.0.0' }),
  'secure-port': intFlag({ section: SERVING, help: 'Port on which HTTPS is served.', default: 6443, min: 0, max: 65535 }),
  'advertise-address': stringFlag({
    section: SERVING,
    help: 'IP address under which other members of the cluster reach this server. By default the bind address, or the first reachable address of the machine.',
    default: '',
  }),
  'tls-cert-file': stringFlag({
    section: SERVING,
    help: 'PEM file with the serving certificate; reloaded when it changes.',
    default: '',
  }),
  'tls-private-key-file': stringFlag({ section: SERVING, help: 'PEM file with the private key of the serving certificate.', default: '' }),
  'tls-min-version': choiceFlag({
    section: SERVING,
    help: 'Minimum TLS version.',
    default: 'VersionTLS12',
    values: ['VersionTLS12', 'VersionTLS13'],
  }),
  'tls-cipher-suites': cipherSuitesFlag(SERVING),
  'external-hostname': stringFlag({
    section: SERVING,
    help: 'Host name of this server in documents for clients. By default the advertised address.',
    default: '',
  }),
  'cert-dir': stringFlag({
    section: SERVING,
    help: 'Folder with apiserver.crt and apiserver.key, which are created when missing. Used when no certificate is set.',
    default: '',
  }),
  'insecure-port': intFlag({
    section: SERVING,
    help: 'Port for plain HTTP on the loopback address, where every request is authorized as the local administrator; 0 disables it.',
    default: 0,
    min: 0,
    max: 65535,
  }),
  'insecure-bind-address': stringFlag({ section: SERVING, help: 'Loopback address for plain HTTP.', default: '127.0.0.1' }),
  'enable-api-docs': boolFlag({
    section: SERVING,
    help: 'Serve a page at /docs that shows the OpenAPI documents in a browser. It needs permission to get /docs, /docs/* and /openapi/*.',
    default: false,
  }),
  workers: intFlag({
    section: SERVING,
    help:
      'Number of processes that serve the ports together, each a complete API server with its own cache, memory and limits. More than one ' +
      'needs etcd, and an audit log on standard output or none.',
    default: 1,
    min: 1,
    max: 64,
  }),
  'http2-max-streams-per-connection': intFlag({
    section: SERVING,
    help: 'Maximum number of concurrent streams of an HTTP/2 connection.',
    default: 100,
    min: 1,
  }),
  'goaway-chance': decimalFlag({
    section: SERVING,
    help:
      'Probability that the server asks an HTTP/2 client to reconnect after a request, so that clients spread over the servers behind a load ' +
      'balancer; 0.001 is a good value there. Use 0 with one server or without a load balancer.',
    default: 0,
    min: 0,
    max: 0.02,
  }),
  'max-connections': intFlag({
    section: SERVING,
    help: 'Maximum number of client connections; 0 is no limit.',
    default: 10_000,
    min: 0,
  }),
  'max-connections-per-address': intFlag({
    section: SERVING,
    help: 'Maximum number of connections from one IPv4 address or one IPv6 /64 network; 0 is no limit.',
    default: 5000,
    min: 0,
  }),
  'unread-response-timeout': durationFlag({
    section: SERVING,
    help: 'Time after which a response or watch is ended when its client reads nothing of the buffered bytes; 0 disables it.',
    default: MINUTE,
  }),
  'request-timeout': durationFlag({ section: SERVING, help: 'Time limit of a request.', default: MINUTE }),
  'min-request-timeout': intFlag({
    section: SERVING,
    help: 'Minimum duration in seconds of a watch without timeoutSeconds.',
    default: 1800,
    min: 1,
  }),
  'max-requests-inflight': intFlag({ section: SERVING, help: 'Maximum number of concurrent reads; 0 is no limit.', default: 400, min: 0 }),
  'enable-priority-and-fairness': boolFlag({
    section: SERVING,
    help: 'Enable API Priority and Fairness: flow schemas and priority levels. The sum of the two limits on requests in flight is the number of seats.',
    default: true,
  }),
  'max-mutating-requests-inflight': intFlag({
    section: SERVING,
    help: 'Maximum number of concurrent writes; 0 is no limit.',
    default: 200,
    min: 0,
  }),
  'shutdown-delay-duration': durationFlag({
    section: SERVING,
    help: 'Time for which the server continues to serve after /readyz starts to fail.',
    default: 0,
  }),
  'shutdown-send-retry-after': boolFlag({
    section: SERVING,
    help: 'While draining, respond to new requests with 429 and Retry-After instead of closing the port.',
    default: false,
  }),
  'shutdown-watch-termination-grace-period': durationFlag({
    section: SERVING,
    help: 'Time over which watches are ended gradually at shutdown.',
    default: 2 * SECOND,
  }),
  'livez-grace-period': durationFlag({
    section: SERVING,
    help: 'Time after the start in which /livez ignores start-up steps that are not complete.',
    default: 0,
  }),
  'storage-backend': choiceFlag({ section: STORAGE, help: 'Storage backend.', default: 'etcd3', values: ['etcd3', 'embedded'] }),
  'storage-dir': stringFlag({ section: STORAGE, help: 'Folder of the embedded store.', default: '' }),
  'etcd-servers': listFlag({ section: STORAGE, help: 'URLs of the etcd members.', default: [] }),
  'etcd-cafile': stringFlag({
    section: STORAGE,
    help: 'PEM file with the certificate authority of etcd; reloaded when it changes.',
    default: '',
  }),
  'etcd-certfile': stringFlag({ section: STORAGE, help: 'PEM file with the client certificate for etcd.', default: '' }),
  'etcd-keyfile': stringFlag({ section: STORAGE, help: 'PEM file with the private key of the client certificate for etcd.', default: '' }),
  'encryption-provider-config': stringFlag({
    section: STORAGE,
    help: 'File with the EncryptionConfiguration: which resources are encrypted in the store, with which keys.',
    default: '',
  }),
  'encryption-provider-config-automatic-reload': boolFlag({
    section: STORAGE,
    help: 'Reload the encryption configuration when its file changes.',
    default: false,
  }),
  'etcd-prefix': stringFlag({ section: STORAGE, help: 'Prefix of all keys in the store.', default: '/registry' }),
  'etcd-compaction-interval': durationFlag({
    section: STORAGE,
    help: 'Interval between compactions; 0 disables them.',
    default: 5 * MINUTE,
  }),
  'event-ttl': durationFlag({ section: STORAGE, help: 'Time for which Events are retained.', default: 60 * MINUTE }),
  'service-cluster-ip-range': serviceRangesFlag(SERVICES),
  'service-node-port-range': nodePortRangeFlag(SERVICES),
  'service-external-ips': choiceFlag({
    section: ACCESS,
    help:
      'allow: a user with write access to Services may set external IPs and, in the status, load balancer addresses. deny: this needs permission to ' +
      'update services/externalips and services/loadbalancer.',
    default: 'deny',
    values: ['deny', 'allow'],
  }),
  'enable-admission-plugins': listFlag({
    section: ACCESS,
    help: `Admission plug-ins to enable in addition to the default ones: ${pluginNames('explicitly').join(', ')}.`,
    default: [],
  }),
  'disable-admission-plugins': listFlag({
    section: ACCESS,
    help: `Admission plug-ins to disable although they are enabled by default: ${pluginNames('by-default').join(', ')}.`,
    default: [],
  }),
  'admission-control-config-file': stringFlag({
    section: ACCESS,
    help: 'File with the AdmissionConfiguration: the configuration of admission plug-ins.',
    default: '',
  }),
  'client-ca-file': stringFlag({ section: ACCESS, help: 'PEM file with the certificate authorities of client certificates.', default: '' }),
  'requestheader-client-ca-file': stringFlag({
    section: ACCESS,
    help: 'PEM bundle with the certificate authorities of authenticating proxies, which name the user in request headers.',
    default: '',
  }),
  'requestheader-allowed-names': listFlag({
    section: ACCESS,
    help: 'Allowed common names of the client certificates of authenticating proxies; empty allows all.',
    default: [],
  }),
  'requestheader-username-headers': listFlag({
    section: ACCESS,
    help: 'Headers for the user name; the first one that is present counts. By default X-Remote-User.',
    default: [],
  }),
  'requestheader-group-headers': listFlag({
    section: ACCESS,
    help: 'Headers for groups. By default X-Remote-Group.',
    default: [],
  }),
  'requestheader-extra-headers-prefix': listFlag({
    section: ACCESS,
    help: 'Prefixes of headers for extra values of the user. By default X-Remote-Extra-.',
    default: [],
  }),
  'enable-bootstrap-token-auth': boolFlag({
    section: ACCESS,
    help: 'Authenticate with the tokens of bootstrap Secrets in the system namespace.',
    default: false,
  }),
  'token-auth-file': stringFlag({ section: ACCESS, help: 'CSV file with static tokens: token,user,uid[,"group1,group2"].', default: '' }),
  'kubelet-certificate-authority': stringFlag({
    section: NODES,
    help: 'PEM file with the certificate authorities of kubelets. Without it, their certificates are not verified.',
    default: '',
  }),
  'kubelet-client-certificate': stringFlag({ section: NODES, help: 'PEM file with the client certificate for kubelets.', default: '' }),
  'kubelet-client-key': stringFlag({
    section: NODES,
    help: 'PEM file with the private key of the client certificate for kubelets.',
    default: '',
  }),
  'kubelet-preferred-address-types': listFlag({
    section: NODES,
    help: 'Types of node addresses, in order of preference.',
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
  }),
  'kubelet-timeout': durationFlag({ section: NODES, help: 'Time limit for opening a connection to a kubelet.', default: 5 * SECOND }),
  'proxy-client-cert-file': stringFlag({
    section: ACCESS,
    help: 'PEM file with the client certificate for aggregated API servers, which proves that the user headers come from this server.',
    default: '',
  }),
  'proxy-client-key-file': stringFlag({ section: ACCESS, help: 'PEM file with the private key of --proxy-client-cert-file.', default: '' }),
  'authorization-policy-file': stringFlag({
    section: ACCESS,
    help: 'File with one policy per line, for --authorization-mode=ABAC.',
    default: '',
  }),
  'authorization-config': stringFlag({
    section: ACCESS,
    help: 'File with an AuthorizationConfiguration, instead of --authorization-mode. Reloaded when it changes.',
    default: '',
  }),
  'authorization-webhook-config-file': stringFlag({
    section: ACCESS,
    help: 'Kubeconfig of the authorization webhook, for --authorization-mode=Webhook.',
    default: '',
  }),
  'authorization-webhook-version': choiceFlag({
    section: ACCESS,
    help: 'Version of the SubjectAccessReviews sent to the authorization webhook.',
    default: 'v1beta1',
    values: ['v1', 'v1beta1'],
  }),
  'authorization-webhook-cache-authorized-ttl': durationFlag({
    section: ACCESS,
    help: 'Time for which an allowed decision of the webhook is cached.',
    default: 5 * MINUTE,
  }),
  'authorization-webhook-cache-unauthorized-ttl': durationFlag({
    section: ACCESS,
    help: 'Time for which a denied decision of the webhook is cached.',
    default: 30 * SECOND,
  }),
  'authentication-token-webhook-config-file': stringFlag({
    section: ACCESS,
    help: 'Kubeconfig of the webhook that authenticates bearer tokens, which is called after all other authenticators.',
    default: '',
  }),
  'authentication-token-webhook-version': choiceFlag({
    section: ACCESS,
    help: 'Version of the TokenReviews sent to the token webhook.',
    default: 'v1beta1',
    values: ['v1', 'v1beta1'],
  }),
  'authentication-token-webhook-cache-ttl': durationFlag({
    section: ACCESS,
    help: 'Time for which a response of the token webhook is cached.',
    default: 2 * MINUTE,
  }),
  'service-account-key-file': repeatedFlag({
    section: ACCESS,
    help: 'PEM file with public or private keys that verify service account tokens; may be repeated.',
    default: [],
  }),
  'service-account-jwks-uri': stringFlag({
    section: ACCESS,
    help: 'https URL of the token verification keys in the OpenID configuration, if they are not served by this server.',
    default: '',
  }),
  'service-account-signing-key-file': stringFlag({
    section: ACCESS,
    help: 'PEM file with the private key that signs service account tokens.',
    default: '',
  }),
  'service-account-issuer': repeatedFlag({
    section: ACCESS,
    help: 'Issuer of service account tokens; may be repeated: the first one is put into new tokens, all are accepted.',
    default: [],
  }),
  'api-audiences': listFlag({
    section: ACCESS,
    help: 'Audiences of which a token must name one. By default the issuers.',
    default: [],
  }),
  'service-account-max-token-expiration': durationFlag({
    section: ACCESS,
    help: 'Maximum lifetime of a requested service account token; 0 is 2^32 seconds.',
    default: 0,
  }),
  'service-account-extend-token-expiration': boolFlag({
    section: ACCESS,
    help: "Extend the lifetime of pods' tokens to one year, so that programs that do not reload them keep working and are counted.",
    default: true,
  }),
  'anonymous-auth': boolFlag({
    section: ACCESS,
    help: 'Accept requests without credentials as system:anonymous. With AlwaysAllow only when set explicitly.',
    default: true,
  }),
  'authorization-mode': authorizationModesFlag(ACCESS),
  ...AUDIT_FLAGS,
  ...OIDC_FLAGS,
  naming: choiceFlag({
    section: GENERAL,
    help: 'Dialect of the names that the server generates.',
    default: 'platform',
    values: ['platform', 'kubernetes'],
  }),
  'tracing-config-file': stringFlag({
    section: GENERAL,
    help: 'File with the TracingConfiguration: where spans are sent, and the sampling rate. Without it, nothing is traced.',
    default: '',
  }),
  'feature-gates': featureGatesFlag(GENERAL),
  'runtime-config': runtimeConfigFlag(GENERAL),
  'log-level': logLevelFlag(GENERAL),
  v: verbosityFlag(GENERAL),
  version: versionFlag(GENERAL),
  ...UPSTREAM_FLAGS,
};

/**
 * Names of the available plug-ins with this default. Plug-ins that are enabled with the Node authorizer are in both
 * lists, because they can be both enabled and disabled.
 */
function pluginNames(enabledWhen: PluginRegistration['enabledWhen']): readonly string[] {
  return ADMISSION_PLUGINS.filter(
    (row) => row.create !== undefined && (row.enabledWhen === enabledWhen || row.enabledWhen === 'with-nodes'),
  ).map(({ name }) => name);
}

/** The parsed values of all flags, by name. */
export type ServerFlags = FlagValues<typeof FLAGS>;
