/** The exposition after one Service with a static node port was created and another one with the same port was refused. */
import { Registry } from 'prom-client';
import { openWriteFixture } from '../../../test/support/store/write-fixture';
import { publishAllocations } from './allocation-metrics';

it("allocation metrics expose usage, allocations and errors of each range under upstream's names", async () => {
  const fixture = await openWriteFixture({ ranges: '10.0.0.0/24,fd00::/108' });
  const spec = { type: 'NodePort', ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 80, nodePort: 31000 }] };
  await fixture.create('services', { metadata: { name: 'a' }, spec });
  await expect(fixture.create('services', { metadata: { name: 'b' }, spec })).rejects.toThrow('already allocated');
  // An error that an audit of the allocations found.
  fixture.allocator.errorCounts.count('ips', 'duplicate');
  const registry = new Registry();
  publishAllocations(registry, fixture.allocator);
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('# HELP'));
  expect(lines).toEqual([
    '# TYPE apiserver_clusterip_repair_ip_errors_total counter',
    'apiserver_clusterip_repair_ip_errors_total{type="duplicate"} 1',
    '# TYPE apiserver_clusterip_repair_reconcile_errors_total counter',
    'apiserver_clusterip_repair_reconcile_errors_total 0',
    '# TYPE apiserver_nodeport_repair_port_errors_total counter',
    '# TYPE apiserver_nodeport_repair_reconcile_errors_total counter',
    'apiserver_nodeport_repair_reconcile_errors_total 0',
    '# TYPE kube_apiserver_clusterip_allocator_allocated_ips gauge',
    'kube_apiserver_clusterip_allocator_allocated_ips{cidr="10.0.0.0/24"} 1',
    'kube_apiserver_clusterip_allocator_allocated_ips{cidr="fd00::/108"} 1',
    '# TYPE kube_apiserver_clusterip_allocator_available_ips gauge',
    'kube_apiserver_clusterip_allocator_available_ips{cidr="10.0.0.0/24"} 253',
    'kube_apiserver_clusterip_allocator_available_ips{cidr="fd00::/108"} 1048574',
    '# TYPE kube_apiserver_clusterip_allocator_allocation_total counter',
    'kube_apiserver_clusterip_allocator_allocation_total{cidr="10.0.0.0/24",scope="dynamic"} 1',
    'kube_apiserver_clusterip_allocator_allocation_total{cidr="fd00::/108",scope="dynamic"} 1',
    '# TYPE kube_apiserver_clusterip_allocator_allocation_errors_total counter',
    '# TYPE kube_apiserver_nodeport_allocator_allocated_ports gauge',
    'kube_apiserver_nodeport_allocator_allocated_ports 1',
    '# TYPE kube_apiserver_nodeport_allocator_available_ports gauge',
    'kube_apiserver_nodeport_allocator_available_ports 2767',
    '# TYPE kube_apiserver_nodeport_allocator_allocation_total counter',
    'kube_apiserver_nodeport_allocator_allocation_total{scope="static"} 1',
    '# TYPE kube_apiserver_nodeport_allocator_allocation_errors_total counter',
    'kube_apiserver_nodeport_allocator_allocation_errors_total{scope="static"} 1',
  ]);
});
