// Lambda's own runtime has loaded node:http before it imports a function.
import 'node:http';

const begin = performance.now();
const { user, system } = process.cpuUsage();
await import(process.argv[2]);
const used = process.cpuUsage({ user, system });
process.send({ passedMs: performance.now() - begin, cpuMs: (used.user + used.system) / 1000 });
process.exit();
