// The emulator as a route, as in docs/emulator.md. The routes of a build and of a server are separate modules.
import { createEmulator, emulatorRoute } from 'social-publishing/emulator';

const service = createEmulator({ accessKey: process.env.EMULATOR_KEY ?? 'a-key-of-your-own' });
service.seed.demo();
service.clock.run();

const route = emulatorRoute(service, {
  basePath: '/api/emulator',
  enabled: process.env.EMULATOR === 'on',
  console: true,
});

export { route as GET, route as POST, route as PUT, route as PATCH, route as DELETE };
