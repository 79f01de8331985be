/* Agent Room: reconnect, drag, keyboard and draft-keeping. Every page reads and acts without it. */
"use strict";
