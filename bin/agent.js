#!/usr/bin/env node
require('./start.js')('agent');
