"""later"""
