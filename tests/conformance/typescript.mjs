// Connects with one of the two official TypeScript clients, lists the tools, and makes one good and one bad call.
// node typescript.mjs <sdk|client> <revision> <address> <credential>
const [, , kind, revision, address, credential] = process.argv;
const modern = revision === "2026-07-28";
const options = { requestInit: { headers: { Authorization: `Bearer ${credential}` } } };
const me = { name: "tests", version: "1" };

async function connected() {
  if (kind === "sdk") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client(me);
    const transport = new StreamableHTTPClientTransport(new URL(address), options);
    await client.connect(transport);
    return [client, transport.protocolVersion];
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(me, { versionNegotiation: { mode: modern ? "auto" : "legacy" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(address), options));
  return [client, client.getNegotiatedProtocolVersion()];
}

const [client, version] = await connected();
const { tools } = await client.listTools();
const good = await client.callTool({ name: "list_rooms", arguments: {} });
const bad = await client.callTool({ name: "read_room", arguments: { room: "0".repeat(26) } });
await client.close();
console.log(JSON.stringify({ version, tools: tools.map((tool) => tool.name), good, bad }));
