import { formatFlagPage, formatStatusPage, type ServerStatus } from './diagnostic-pages';

const MEGABYTE = 1024 * 1024;
const STARTED = Date.UTC(2026, 0, 1);

const status: ServerStatus = {
  // One hour, two minutes and three seconds later.
  now: STARTED + 3_723_000,
  startedAt: STARTED,
  runtime: 'Node.js v20.19.0 linux/x64',
  problems: [],
  replicas: [
    { ip: '192.0.2.1', port: 6443 },
    { ip: '2001:db8::1', port: 6443 },
  ],
  store: { version: '3.5.16', revision: 120, size: 3 * MEGABYTE },
  revision: 119,
  eventWindow: { events: 7, bytes: MEGABYTE / 2 },
  types: [
    { name: 'configmaps', objects: 2, watches: 0 },
    { name: 'pods', objects: 30, watches: 4 },
    { name: 'secrets', objects: 0, watches: 0 },
  ],
  requests: { readOnly: 3, mutating: 1 },
  connections: 9,
  memory: { resident: 120 * MEGABYTE, heap: 40 * MEGABYTE },
  servingCertificateExpiry: Date.UTC(2027, 0, 1),
};

describe('the status page', () => {
  it('shows the state of the server, and the resources in use with most objects first', () => {
    expect(formatStatusPage(status)).toBe(`apiserver statusz
Warning: This page is for people. Its format may change in any release.

Started: Thu, 01 Jan 2026 00:00:00 GMT
Up: 1 hr 02 min 03 sec
Version: v1.31.1
Runtime: Node.js v20.19.0 linux/x64
Problems: none
Replicas: 192.0.2.1:6443, [2001:db8::1]:6443
Store: 3.5.16, revision 120, 3.0 MB
Cache: revision 119, 7 recent changes in 0.5 MB
Requests: 3 reading, 1 writing
Connections: 9
Memory: 120.0 MB resident, 40.0 MB heap
Serving certificate: expires Fri, 01 Jan 2027 00:00:00 GMT

Resource       Objects   Watches
pods                30         4
configmaps           2         0
`);
  });

  it('shows problems, and that the store does not respond', () => {
    const page = formatStatusPage({ ...status, problems: ['the stream is interrupted'], store: undefined });
    expect(page).toContain('Problems: the stream is interrupted\n');
    expect(page).toContain('Store: does not respond\n');
  });
});

it('the flag page shows one flag per line', () => {
  expect(formatFlagPage(['a=1', 'b='])).toBe(`apiserver flags
Warning: This page is for people. Its format may change in any release.

a=1
b=
`);
});
